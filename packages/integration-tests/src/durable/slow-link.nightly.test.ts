import { describe, expect, it, onTestFinished } from 'vitest'
import { startSlowLink } from '../services/slow-link.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { openEngine } from './open-engine.ts'
import { useStore } from './use-store.ts'

const LOCK_MS = 800

/** So late that the task is locked in the store, and the lock is over when the worker hears of it. */
const DELAY_MS = { postgres: 880, bullmq: 480 } as const

const SERVERS = ENGINE_STORES.filter(({ title }) => !title.startsWith('SQLite'))

describe.each(SERVERS)('a worker whose store responds late: $title', (engineStore) => {
  const store = useStore(engineStore)

  it.skipIf(engineStore.isMissing)('counts as no lost process for a task that it locked and did not run', async () => {
    const { engine: other, engineAt } = store()
    if (engineAt.kind === 'sqlite') throw new Error('SQLite has no connection that could be slow.')
    const url = new URL(engineAt.at)
    const link = await startSlowLink(Number(url.port))
    onTestFinished(link.close)
    url.port = String(link.port)
    const slow = openEngine({ kind: engineAt.kind, at: url.href }, () => {})
    await slow.setup()
    await other.add('tasks', 'a', { data: null })

    const lateRuns: string[] = []
    link.delayMs = DELAY_MS[engineAt.kind]
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
    await slow.close()
  })
})
