import { beforeEach, expect, it, vi } from 'vitest'
import { seededRandom } from '../../../kit/test/seeded-random.ts'
import { MODEL, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Fault, loop, openProcesses, type Process } from '../../test/processes.ts'

useVirtualTime()
// What the inbox could not clean up.
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue())

const KEYS = ['a', 'b', 'c']
const FAULTS: readonly Fault[] = ['dies before', 'dies after', 'fails', 'loses the response']
const STEPS = 25
const WEBHOOKS = { publicUrl: 'https://app.example.com/webhooks', secret: 'a secret of thirty-two bytes, or more' }

const seeds = Array.from({ length: 30 }, (_, seed) => ({ seed, isHeard: seed % 3 === 0 }))

/** Callers, workers, users and deliveries in any order, in processes that die and on a store that fails. */
it.each(seeds)('random steps send each run once, and end it (seed $seed)', async ({ seed, isHeard }) => {
  const random = seededRandom(seed)
  const pick = <Value>(from: readonly Value[]) => from[Math.floor(random() * from.length)] as Value
  const shared = await openProcesses(random() * 4_000)
  const { server, posts } = shared
  const options = isHeard ? { webhooks: WEBHOOKS } : {}
  const asked = new Set<string>()
  const broken: string[] = []
  const jobOf = (key: string) =>
    server
      .requests({ route: 'runModel' })
      .find(({ body, job_id }) => job_id && JSON.stringify(body).includes(`"${key}"`))?.job_id
  /** A process with faults, and whether it has started to send a run. */
  const open = () => {
    const seen = { isSending: false }
    const drawn = (share: number) => (random() < share ? pick(FAULTS) : undefined)
    const process = shared.open(options, {
      request: (route) => {
        seen.isSending ||= route === 'POST'
        return drawn(0.15)
      },
      store: () => drawn(0.04),
    })
    return { ...process, seen }
  }
  const steps: Record<string, (key: string) => Promise<unknown>> = {
    send: async (key) => {
      const { runs, seen } = open()
      await runs.send(key, MODEL, { prompt: key }).catch((error) => {
        if (seen.isSending) broken.push(`the send of ${key} has sent, and throws ${error}`)
      })
    },
    loop: (key) => loop(open(), key),
    read: (key) => open().runs.read(key, { isHinted: random() < 0.5 }),
    sweep: () => open().runs.sweep({ forMs: 2_000 }),
    work: async () => {
      const { runs } = open()
      runs.start()
      await pass(0)
      setTimeout(() => void runs.stop(), random() * 5_000)
    },
    cancel: (key) => {
      asked.add(key)
      return open().runs.cancel(key)
    },
    resolve: async (key) => {
      const jobId = jobOf(key)
      if (jobId !== undefined) await open().runs.resolve(key, { jobId })
    },
  }
  server.webhooks.deliver(async (request) => {
    const timeout = new Promise<Response>((resolve) => setTimeout(resolve, 5_000, new Response('', { status: 503 })))
    return Promise.race([open().runs.inbox?.handle(request) ?? timeout, timeout])
  })

  for (let step = 0; step < STEPS; step += 1) {
    const name = pick(Object.keys(steps))
    void steps[name]?.(pick(KEYS)).catch(() => {})
    await pass(random() * 1_500)
  }
  await pass(60_000)
  const calm = shared.open(options)
  for (const key of KEYS) await expectEnd(calm, key)
  expect(broken).toEqual([])

  async function expectEnd(process: Process, key: string): Promise<void> {
    const { run } = await settled(loop(process, key))
    if (run.state === 'unknown') {
      const jobId = jobOf(key)
      expect(posts[key] ?? 0).toBe(jobId === undefined ? 0 : 1)
      await settled(jobId === undefined ? process.runs.resubmit(key) : process.runs.resolve(key, { jobId }))
      return expectEnd(process, key)
    }
    expect(['succeeded', ...(asked.has(key) ? ['cancelled'] : [])]).toContain(run.state)
    expect(posts[key] ?? 0).toBeLessThanOrEqual(1)
    if (run.state === 'succeeded') expect(run.jobId).toBe(jobOf(key))
  }
})
