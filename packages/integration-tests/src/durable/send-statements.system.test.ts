import { createRuns, type RunsOptions } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { ModelRun } from 'modelrun'
import { afterAll, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { describeWithPostgres } from '../services/with-postgres.ts'
import { MODEL } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

describeWithPostgres('the statements of a step on Postgres', (database) => {
  const server = createCheckedServer({ clock: 'system', latency: 0 })
  afterAll(() => server.close())

  /** @param isLost whether the response to the next statement gets lost, after the statement has run */
  async function openRuns({
    isLost = () => false,
    ...options
  }: Partial<RunsOptions> & { isLost?: () => boolean } = {}) {
    const statements: string[] = []
    const query = async (text: string, values: unknown[]) => {
      const result = await database.pool.query(text, values)
      // One that failed, because a busy disk kept a lock for longer than its limit, is repeated.
      statements.push(text)
      if (isLost()) throw new Error('The response was lost.')
      return result
    }
    await createPostgresEngine(database.pool).setup()
    const engine = createPostgresEngine(query, { onError: () => {} })
    const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
    const runs = createRuns({ ...options, engine, client, name: crypto.randomUUID() })
    const count = async <Value>(call: () => Promise<Value>) => {
      statements.length = 0
      const value = await call()
      return { value, count: statements.length }
    }
    /** Polls a job until it has ended, and returns the last poll. */
    const countEnd = async (key: string) => {
      for (;;) {
        const counted = await count(() => runs.read(key, { isHinted: true }))
        expect(counted.count).toBeLessThanOrEqual(6)
        const { afterMs } = counted.value
        if (afterMs === undefined) return counted.value
        await new Promise((resolve) => setTimeout(resolve, afterMs))
      }
    }
    return { runs, count, countEnd }
  }

  it('are at most 9 for a new run, and 6 for one that has a job', async () => {
    const { runs, count, countEnd } = await openRuns()
    const send = () => count(() => runs.send('a', MODEL, { prompt: 'a' }))
    const first = await send()
    expect(first.value).toMatchObject({ state: 'running', jobId: expect.any(String) })
    expect(first.count).toBeLessThanOrEqual(9)
    const early = await send()
    expect(early.value).toMatchObject({ state: 'running' })
    expect(early.count).toBeLessThanOrEqual(6)
    expect(await countEnd('a')).toMatchObject({ state: 'succeeded' })
    expect((await send()).count).toBe(1)
    server.script(MODEL, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
    await runs.send('fails', MODEL, { prompt: 'x' })
    expect(await countEnd('fails')).toMatchObject({ state: 'failed' })
  })

  it('are repeated when their response is lost: of 100 calls with 5 % lost, fewer than 5 reject', async () => {
    let statements = 0
    let rejected = 0
    const { runs } = await openRuns({ isLost: () => (statements++ * 7919) % 20 === 0, lockMs: 5_000 })
    const send = async (key: string) => {
      await runs.send(key, MODEL, { prompt: key }).catch(() => {
        rejected += 1
      })
    }
    const keys = Array.from({ length: 100 }, (_, index) => `lost-${index}`)
    await Promise.all(keys.map(send))
    expect(rejected).toBeLessThan(5)
    expect(keys.map((key) => posts(server)[key] ?? 0).filter((count) => count > 1)).toEqual([])
  })
})
