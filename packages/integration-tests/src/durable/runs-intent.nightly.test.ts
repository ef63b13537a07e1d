import type { Engine } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { finish, type Interceptor, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

/** Statements of a batch whose response is lost once each: the store has done what they say. */
const STATEMENTS = ['add', 'get', 'list', 'reserve', 'release', 'replay', 'remove', 'total'] as const

const store = () => createSqliteEngine({ path: ':memory:', pollMs: 20 })

it('does not send a run whose lock is lost before the mark', async () => {
  const engine = store()
  let marks = 0
  const work: Engine['work'] = (queue, handler, options) =>
    engine.work(
      queue,
      (task) => {
        const markStarted = async () => {
          marks += 1
          return marks > 2 && task.markStarted()
        }
        return handler({ ...task, markStarted })
      },
      options,
    )
  const { server, runs } = await setUpRuns({ engine: { ...engine, work } })
  await runs.add('a', MODEL, { prompt: 'a' })
  expect(await finish(runs)).toMatchObject([{ key: 'a', state: 'succeeded' }])
  expect([marks, posts(server)]).toEqual([3, { a: 1 }])
  // Counted once, although it was prepared three times.
  expect(await runs.progress()).toMatchObject({ credits: 4 })
})

it('stores the mark after all that comes before the POST, and sends once for each mark', async () => {
  const steps: string[] = []
  const intercept: Interceptor = ({ method, path }) => {
    if (path.includes('/models/')) steps.push(`${method} model`)
    return undefined
  }
  const engine = store()
  const work: Engine['work'] = (queue, handler, options) =>
    engine.work(
      queue,
      (task) => {
        const markStarted = async () => {
          steps.push('mark')
          return task.markStarted()
        }
        return handler({ ...task, markStarted })
      },
      options,
    )
  const reserve: Engine['reserve'] = async (...args) => {
    steps.push('reserve')
    return engine.reserve(...args)
  }
  const { server, runs } = await setUpRuns({ engine: { ...engine, work, reserve }, intercept })
  server.faults.add({ kind: 'rate-limit', route: 'runModel', retry_after: 1, times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  expect(await finish(runs)).toMatchObject([{ state: 'succeeded' }])
  expect(steps).toEqual(['GET model', 'reserve', 'mark', 'POST model', 'reserve', 'mark', 'POST model'])
  expect(await runs.progress()).toMatchObject({ credits: 4 })
})

it.each(STATEMENTS)('sends each key once, and parks none, when responses to `%s` are lost', async (name) => {
  const engine = store()
  let calls = 0
  const lose = async (...args: unknown[]) => {
    const result = await (engine[name] as (...given: unknown[]) => Promise<unknown>)(...args)
    calls += 1
    if (calls > 1 && calls % 4 === 0) throw new Error('The response was lost.')
    return result
  }
  const errors: unknown[] = []
  const { server, runs } = await setUpRuns({
    engine: { ...engine, [name]: lose },
    onError: (error) => errors.push(error),
  })
  const keys = ['a', 'b', 'c', 'd']
  for (const key of keys) {
    const add = async () => runs.add(key, MODEL, { prompt: key })
    await add().catch(add)
  }
  const finished = await finish(runs)
  expect(finished.map(({ key, state }) => `${key} ${state}`).toSorted()).toEqual(keys.map((key) => `${key} succeeded`))
  expect(posts(server)).toEqual({ a: 1, b: 1, c: 1, d: 1 })
  const progress = async () => runs.progress()
  expect(await progress().catch(progress)).toMatchObject({ total: 4, done: 4, unknown: 0, credits: 16 })
})
