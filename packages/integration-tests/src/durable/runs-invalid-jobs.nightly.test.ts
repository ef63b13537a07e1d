import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { finish, type Interceptor, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

const NOT_FOUND = { error: { code: 'NOT_FOUND', message: 'no such job' } }

/** Responds to polls with a body and a status, until `stop`. */
function invalidPolls(body: unknown, status = 200): { intercept: Interceptor; stop(): void } {
  let isInvalid = true
  return {
    intercept: ({ method, path }) =>
      isInvalid && method === 'GET' && path.includes('/jobs/') ? Response.json(body, { status }) : undefined,
    stop: () => {
      isInvalid = false
    },
  }
}

it('leaves a run unknown whose job the service does not have, and resolves it when the url is right again', async () => {
  const invalid = invalidPolls(NOT_FOUND, 404)
  const { server, runs } = await setUpRuns({ intercept: invalid.intercept })
  for (const key of ['a', 'b']) await runs.add(key, MODEL, { prompt: key })
  expect(await finish(runs)).toEqual([])
  const [run] = await runs.unknown()
  expect(run).toMatchObject({ state: 'unknown', jobId: expect.any(String), error: { code: 'JOB_NOT_FOUND' } })
  invalid.stop()
  expect([await runs.resolve('a'), await runs.resolve('b', { jobId: String((await runs.get('b'))?.jobId) })]).toEqual([
    true,
    true,
  ])
  expect(await finish(runs)).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }])
  expect(posts(server)).toEqual({ a: 1, b: 1 })
})

it('takes another job for a run whose first one was a mistake', async () => {
  const { server, runs } = await setUpRuns()
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  expect(await finish(runs)).toEqual([])
  expect(await runs.resolve('a')).toBe(false) // no job is known
  expect(await runs.resolve('a', { jobId: 'job_typo' })).toBe(true)
  expect(await finish(runs)).toEqual([])
  expect(await runs.get('a')).toMatchObject({ state: 'unknown', jobId: 'job_typo' })
  const [entry] = server.journal.entries({ kind: 'job' })
  const jobId = String(entry?.kind === 'job' && entry.job_id)
  expect(await runs.resolve('a', { jobId })).toBe(true)
  expect(await finish(runs)).toMatchObject([{ state: 'succeeded', jobId }])
  expect(await runs.progress()).toMatchObject({ total: 1, done: 1, unknown: 0 })
  expect(posts(server)).toEqual({ a: 1 })
})

it('sends nothing because it lists the unknown runs', async () => {
  const store = createSqliteEngine({ path: ':memory:', pollMs: 20 })
  let beforeRead = async () => {}
  let beforeReplay = async () => {}
  const engine: typeof store = {
    ...store,
    guardedBy: (guard) => {
      const { replay, ...guarded } = store.guardedBy(guard)
      return { ...guarded, replay: async (...args) => beforeReplay().then(() => replay(...args)) }
    },
    getAll: async (...args) => {
      await beforeRead()
      return store.getAll(...args)
    },
  }
  const { server, runs } = await setUpRuns({ engine })
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 2 })
  await runs.add('a', MODEL, { prompt: 'a' })
  await finish(runs)
  await runs.stop()
  expect(posts(server)).toEqual({ a: 1 })
  // While the list is read, a user sends the run again, and it is unknown again.
  let isFirst = true
  beforeRead = async () => {
    if (!isFirst) return
    isFirst = false
    await store.replay('runs:submit', 'a')
  }
  beforeReplay = async () => void (await finish(runs))
  await runs.unknown()
  await finish(runs)
  expect(posts(server)).toEqual({ a: 2 })
})
