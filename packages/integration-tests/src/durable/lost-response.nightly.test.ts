import { RetryAfterError } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { startSlowLink } from '../services/slow-link.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { type EngineAt, openEngine } from './open-engine.ts'
import { useStore } from './use-store.ts'

/** More than a worker gets while it connects, and runs its tasks. */
const RESPONSES = 32
const TASKS = ['a', 'b', 'c']

const SERVERS = ENGINE_STORES.filter(({ title }) => !title.startsWith('SQLite'))

/** Works a queue over a connection that loses one response. Returns what the handlers saw. */
async function workWithLoss(
  engineAt: EngineAt,
  { queue, response, startMark }: { queue: string; response: number; startMark: 'worker' | 'handler' },
) {
  const url = new URL(engineAt.at)
  const link = await startSlowLink(Number(url.port))
  link.losesResponse = response
  url.port = String(link.port)
  const engine = openEngine({ kind: engineAt.kind, at: url.href }, () => {})
  const losses: number[] = []
  const effects: string[] = []
  engine.work(
    queue,
    async ({ id, lost, markStarted }) => {
      losses.push(lost)
      if (!(await markStarted())) throw new RetryAfterError(0)
      effects.push(id)
      return undefined
    },
    { lockMs: 2_500, startMark, attempts: 1 },
  )
  const close = async () => {
    await engine.close()
    await link.close()
  }
  return { losses, effects, close }
}

describe.each(SERVERS)('a worker to whom one response of its store is lost: $title', (engineStore) => {
  const store = useStore(engineStore)

  it.skipIf(engineStore.isMissing).each(['worker', 'handler'] as const)(
    'has each effect once, and counts no process as lost, whichever response it is; marked by the %s',
    async (startMark) => {
      const { engine: other, engineAt } = store()
      const responses = Array.from({ length: RESPONSES }, (_, index) => index + 1)
      const check = async (response: number) => {
        const queue = `${startMark}-${response}`
        for (const id of TASKS) await other.add(queue, id, { data: null })
        const { losses, effects, close } = await workWithLoss(engineAt, { queue, response, startMark })
        await expect.poll(() => other.count(queue)).toMatchObject({ done: TASKS.length, dead: 0 })
        await close()
        return { response, lost: Math.max(...losses), effects: effects.toSorted() }
      }
      for (let from = 0; from < RESPONSES; from += 8) {
        const seen = await Promise.all(responses.slice(from, from + 8).map(check))
        for (const one of seen) expect(one).toEqual({ response: one.response, lost: 0, effects: TASKS })
      }
    },
  )
})
