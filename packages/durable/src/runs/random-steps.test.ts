import { beforeEach, expect, it, vi } from 'vitest'
import { seededRandom } from '../../../kit/test/seeded-random.ts'
import { MODEL, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Fault, loop, openProcesses, type Process } from '../../test/processes.ts'
import type { RunsToDelete } from './delete-runs.ts'

useVirtualTime()
// What the inbox could not clean up.
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue())

const KEYS = ['a', 'b', 'c', 'd']
const FAULTS: readonly Fault[] = ['dies before', 'dies after', 'fails', 'hangs', 'loses the response']
const STEPS = 30
const WEBHOOKS = { publicUrl: 'https://app.example.com/webhooks', secret: 'a secret of thirty-two bytes, or more' }
const TO_DELETE: readonly RunsToDelete[] = [
  { all: true },
  { olderThanMs: 0 },
  { olderThanMs: 3_000, state: 'succeeded' },
]

const { FROM = '0', COUNT = '30' } = process.env
const seeds = Array.from({ length: Number(COUNT) }, (_, at) => Number(FROM) + at)

/** Callers, workers, users and deliveries in any order, in processes that die and on a store that fails. */
it.each(seeds)('random steps send each run as often as was decided, and end it (seed %i)', async (seed) => {
  const random = seededRandom(seed)
  const pick = <Value>(from: readonly Value[]) => from[Math.floor(random() * from.length)] as Value
  const shared = await openProcesses(random() * 4_000)
  const { server, posts } = shared
  const options = {
    ...(seed % 3 === 0 ? { webhooks: WEBHOOKS } : {}),
    ...(seed % 5 === 0 ? { maxRunning: 2 } : {}),
    ...(seed % 7 === 0 ? { maxCredits: 40 } : {}),
  }
  /** How often each key may be sent. */
  const allowed: Record<string, number> = Object.fromEntries(KEYS.map((key) => [key, 1]))
  const allow = (key: string, more = 1) => {
    allowed[key] = (allowed[key] ?? 0) + more
  }
  const broken: string[] = []
  const unsent: [seen: { isSending: boolean }, problem: string][] = []
  const aborted = () => {
    const controller = new AbortController()
    if (random() < 0.3) setTimeout(() => controller.abort(), random() * 2_000)
    return controller.signal
  }
  const jobsOf = (key: string) =>
    server
      .requests({ route: 'runModel' })
      .filter(({ body, job_id }) => job_id && JSON.stringify(body).includes(`"${key}"`))
      .map(({ job_id }) => String(job_id))
  /** A process with faults, and whether it has started to send a run. */
  const open = () => {
    const seen = { isSending: false }
    const drawn = (share: number) => (seed % 2 === 1 && random() < share ? pick(FAULTS) : undefined)
    const process = shared.open(options, {
      request: (route) => {
        seen.isSending ||= route === 'POST'
        return drawn(0.1)
      },
      store: () => drawn(0.03),
    })
    return { ...process, seen }
  }
  /** A decision that may send the run once more; not when it resolves to false. */
  const again = async (key: string, decide: Promise<boolean>) => {
    allow(key)
    if (!(await decide)) allow(key, -1)
  }
  const steps: Record<string, (key: string) => Promise<unknown>> = {
    add: (key) => open().runs.add(key, MODEL, { prompt: key }, random() < 0.3 ? { maxCredits: pick([1, 4, 100]) } : {}),
    send: async (key) => {
      const { runs, seen } = open()
      const rejected = await runs.send(key, MODEL, { prompt: key }, { signal: aborted() }).catch(String)
      // Also later, when a store responds that hung.
      if (typeof rejected === 'string') unsent.push([seen, `the send of ${key} has sent, and throws ${rejected}`])
    },
    loop: (key) => loop(open(), key),
    read: (key) => open().runs.read(key, { isHinted: random() < 0.5 }),
    sweep: () => open().runs.sweep({ forMs: 2_000, signal: aborted() }),
    work: async () => {
      const { runs } = open()
      runs.start()
      await pass(0)
      setTimeout(() => void runs.stop(), random() * 5_000)
    },
    each: async () => {
      const items = [pick(KEYS), pick(KEYS), pick(KEYS)].map((key) => ({ key, input: { prompt: key } }))
      for await (const { item, run } of open().runs.runEach(MODEL, items, { signal: aborted() })) {
        if (item.key !== run.key || run.state === 'running') broken.push(`each yields ${run.key}, ${run.state}`)
        if (random() < 0.3) break
      }
    },
    cancel: (key) => open().runs.cancel(key),
    cancelAll: () => open().runs.cancelAll(),
    resolve: async (key) => {
      const jobId = pick(jobsOf(key))
      if (jobId !== undefined) await open().runs.resolve(key, { jobId })
    },
    resubmit: (key) => again(key, open().runs.resubmit(key)),
    retry: (key) => again(key, open().runs.retry(key)),
    lost: async (key) => {
      const { runs } = open()
      const lostJob = (await runs.get(key))?.jobId
      if (lostJob !== undefined) await again(key, runs.resubmit(key, { lostJob }))
    },
    delete: () => {
      for (const key of KEYS) allow(key)
      return open().runs.delete(pick(TO_DELETE))
    },
    pause: () => open().runs.pause(),
    resume: () => open().runs.resume(),
    progress: () => checkProgress(open()),
  }
  server.webhooks.deliver(async (request) => {
    const timeout = new Promise<Response>((resolve) => setTimeout(resolve, 5_000, new Response('', { status: 503 })))
    return Promise.race([open().runs.inbox?.handle(request) ?? timeout, timeout])
  })

  const pending: (Promise<unknown> | undefined)[] = []
  for (let step = 0; step < STEPS; step += 1) {
    pending.push(steps[pick(Object.keys(steps))]?.(pick(KEYS)))
    void pending.at(-1)?.catch(() => {})
    await pass(random() * 1_500)
  }
  // What hangs, such as a pause, comes later.
  await pass(10_000)
  const calm = shared.open(options)
  await settled(calm.runs.resume())
  // The calls of processes that died never end.
  await settled(Promise.race([Promise.allSettled(pending), new Promise((resolve) => setTimeout(resolve, 500_000))]))
  await settled(Promise.all(KEYS.map((key) => expectEnd(calm, key))))
  await settled(calm.runs.sweep())
  const progress = await settled(checkProgress(calm))
  const ends = await Promise.all(KEYS.map((key) => settled(calm.runs.get(key))))
  const countOf = (state: string) => ends.filter((run) => run?.state === state).length
  const counted = ['succeeded', 'cancelled', 'rejected', 'failed'].map((state) => [state, countOf(state)])
  expect(progress).toMatchObject({ total: KEYS.length, done: KEYS.length, ...Object.fromEntries(counted) })
  expect(progress.credits).toBeGreaterThanOrEqual(4 * countOf('succeeded'))
  expect((await settled(calm.runs.list())).map(({ key }) => key).sort()).toEqual(KEYS)
  // What the counts of the progress would hide.
  expect([
    ...shared.rows("SELECT * FROM modelrun_tallies WHERE name = 'runs:places' AND value <> 0"),
    ...shared.rows("SELECT * FROM modelrun_tasks WHERE state = 'dead' AND queue NOT LIKE 'runs:inbox%'"),
  ]).toEqual([])
  expect(await settled(calm.runs.delete({ all: true }))).toEqual({ deleted: KEYS.length, kept: 0 })
  // Locks of jobs, whose decisions died, stay.
  const left = shared.rows(
    "SELECT * FROM modelrun_tasks WHERE queue NOT LIKE 'runs:inbox%' AND id <> 'reason' AND id NOT LIKE char(30) || '%'",
  )
  const counters = shared.rows("SELECT * FROM modelrun_tallies WHERE name <> ' seq' AND value <> 0")
  for (const [seen, problem] of unsent) if (seen.isSending) broken.push(problem)
  expect([...left, ...counters, ...broken]).toEqual([])

  async function checkProgress({ runs }: Process) {
    const seen = await runs.progress()
    const { waiting, running, done, unknown, total, succeeded, failed, cancelled, rejected } = seen
    const isWhole = waiting + running + done + unknown === total && succeeded + failed + cancelled + rejected === done
    if (!isWhole) broken.push(JSON.stringify(seen))
    return seen
  }

  async function expectEnd(process: Process, key: string): Promise<void> {
    const { run } = await loop(process, key)
    if (run.state === 'unknown') {
      const jobId = run.jobId ?? jobsOf(key).at(-1)
      const isGiven = await process.runs.resolve(key, { jobId }).catch(() => false)
      if (!isGiven) await again(key, process.runs.resubmit(key, { maxCredits: 100 }))
      return expectEnd(process, key)
    }
    expect(['succeeded', 'cancelled', 'rejected']).toContain(run.state)
    expect(posts[key] ?? 0).toBeLessThanOrEqual(allowed[key] ?? 0)
    if (run.state === 'succeeded') expect(jobsOf(key)).toContain(run.jobId)
  }
})
