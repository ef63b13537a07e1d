import { randomUUID } from 'node:crypto'
import { createRuns, type RunsOptions, type StepRun } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CheckedServer, createCheckedServer } from '../openapi/checked-server.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { openEngine } from './open-engine.ts'
import { MODEL } from './runs-harness.ts'
import { posts } from './sent-runs.ts'
import { useStore } from './use-store.ts'

let server: CheckedServer
beforeAll(() => {
  server = createCheckedServer({ clock: 'system', latency: 100 })
})
afterAll(() => server.close())

describe.each(ENGINE_STORES)('steps on $title', (engineStore) => {
  const store = useStore(engineStore)
  const test = it.skipIf(engineStore.isMissing)

  /** Works with a batch of its own, in several processes. Prompts have its name, because the service is one for all tests. */
  async function withBatch(
    work: (batch: {
      open(options?: Partial<RunsOptions>): ReturnType<typeof createRuns>
      prompt(key: string): { prompt: string }
      postsOf(key: string): number
    }) => Promise<void>,
  ) {
    const name = randomUUID()
    const engines: { close(): Promise<void> }[] = []
    const open = (options: Partial<RunsOptions> = {}) => {
      const engine = openEngine(store().engineAt)
      engines.push(engine)
      const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
      return createRuns({ lockMs: 1_000, ...options, engine, client, name })
    }
    const prompt = (key: string) => ({ prompt: `${name} ${key}` })
    try {
      await work({ open, prompt, postsOf: (key) => posts(server)[prompt(key).prompt] ?? 0 })
    } finally {
      await Promise.all(engines.map((engine) => engine.close()))
    }
  }

  async function loop(send: () => Promise<StepRun>): Promise<StepRun> {
    for (;;) {
      const run = await send()
      if (run.afterMs === undefined) return run
      await new Promise((resolve) => setTimeout(resolve, run.afterMs))
    }
  }

  test('send a run once over callers and processes, and all get its end', async () => {
    await withBatch(async ({ open, prompt, postsOf }) => {
      const processes = [open(), open()]
      const loops = processes.flatMap((runs) => [1, 2].map(() => loop(() => runs.send('a', MODEL, prompt('a')))))
      const ends = await Promise.all(loops)
      expect(new Set(ends.map(({ state, jobId }) => `${state} ${jobId}`)).size).toBe(1)
      expect(ends[0]).toMatchObject({ state: 'succeeded', output: { type: 'image' } })
      expect(postsOf('a')).toBe(1)
      expect(await processes[0]?.read('a')).toEqual(ends[0])
    })
  })

  test('of a run whose response was lost are unknown, and its job can be named', async () => {
    await withBatch(async ({ open, prompt, postsOf }) => {
      server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
      const runs = open()
      const send = () => runs.send('a', MODEL, prompt('a'))
      expect(await loop(send)).toMatchObject({ state: 'unknown' })
      expect(await send()).toMatchObject({ state: 'unknown' })
      const [entry] = server.journal.entries({ kind: 'job' }).slice(-1)
      const jobId = String(entry?.kind === 'job' && entry.job_id)
      expect(await loop(() => runs.read('a', { jobId }))).toMatchObject({ state: 'succeeded', jobId })
      expect(postsOf('a')).toBe(1)
    })
  })

  test('reject another run under a key, and a budget holds over all of them', async () => {
    await withBatch(async ({ open, prompt }) => {
      const runs = open({ maxCredits: 4 })
      await runs.send('a', MODEL, prompt('a'))
      await expect(open().send('a', MODEL, prompt('other'))).rejects.toMatchObject({ isRetryable: false })
      expect(await loop(() => open({ maxCredits: 4 }).send('b', MODEL, prompt('b')))).toMatchObject({
        state: 'rejected',
        error: { code: 'BUDGET_EXCEEDED' },
      })
    })
  })

  test('share a batch with a sweep, and `onEnd` reports the end', async () => {
    await withBatch(async ({ open, prompt, postsOf }) => {
      const ended: string[] = []
      const runs = open({ onEnd: ({ key, state }) => ended.push(`${key} ${state}`) })
      for (const key of ['a', 'b', 'c']) await open().add(key, MODEL, prompt(key))
      await Promise.all([runs.sweep({ forMs: 20_000 }), loop(() => runs.send('a', MODEL, prompt('a')))])
      expect(ended.toSorted()).toEqual(['a succeeded', 'b succeeded', 'c succeeded'])
      expect(['a', 'b', 'c'].map(postsOf)).toEqual([1, 1, 1])
    })
  })
})
