import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { POSTGRES_PROGRAMS, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import { type SlowLink, startSlowLink } from '../services/slow-link.ts'
import { type EngineAt, openEngine } from './open-engine.ts'

const LOCK_MS = 800

interface Store {
  kind: EngineAt['kind']
  isMissing: boolean
  note: string
  start(): Promise<{ url: string; port: number; stop(): Promise<void> }>
  /** So late that the task is locked in the store, and the lock is over when the worker hears of it. */
  delayMs: number
}

const STORES: Store[] = [
  { kind: 'postgres', ...needs(...POSTGRES_PROGRAMS), start: startPostgres, delayMs: 880 },
  {
    kind: 'bullmq',
    ...needs(...REDIS_PROGRAMS),
    start: async () => {
      const service = await startRedis()
      return { ...service, url: `redis://127.0.0.1:${service.port}` }
    },
    delayMs: 480,
  },
]

let link: SlowLink | undefined
afterEach(() => link?.close())

describe.each(STORES.map((store) => [`${store.kind}${store.note}`, store] as const))(
  'a worker whose store responds late: %s',
  (_, { kind, isMissing, start, delayMs }) => {
    it.skipIf(isMissing)('counts as no lost process for a task that it locked and did not run', async () => {
      const { url, port, stop } = await start()
      onTestFinished(stop)
      const at = new URL(url)
      link = await startSlowLink(port)
      at.port = String(link.port)
      const slow = openEngine({ kind, at: at.href }, () => {})
      const other = openEngine({ kind, at: url })
      await slow.setup()
      await other.add('tasks', 'a', { data: null })

      const lateRuns: string[] = []
      link.delayMs = delayMs
      const options = { concurrency: 1, lockMs: LOCK_MS }
      const slowWorker = slow.work('tasks', async ({ id }) => void lateRuns.push(id), options)
      await expect.poll(() => other.count('tasks')).toMatchObject({ running: 1 })
      const lost: number[] = []
      other.work(
        'tasks',
        async (task) => {
          lost.push(task.lost)
          if (lost.length === 1) throw new Error('once more')
          return undefined
        },
        { lockMs: LOCK_MS, backoffMs: 4_000 },
      )
      await expect.poll(() => lost.length).toBe(1)
      await slowWorker.stop()
      await expect.poll(() => other.count('tasks')).toMatchObject({ done: 1 })
      expect([lost.at(-1), lateRuns]).toEqual([0, []])
      link.delayMs = 0
      await Promise.all([slow.close(), other.close()])
    })
  },
)
