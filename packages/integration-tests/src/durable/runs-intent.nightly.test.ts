import type { Engine } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { finish, type Interceptor, MODEL, setUpRuns } from './runs-harness.ts'

it('stores the mark after all that comes before the POST, and sends once for each mark', async () => {
  const steps: string[] = []
  const intercept: Interceptor = ({ method, path }) => {
    if (path.includes('/models/')) steps.push(`${method} model`)
    return undefined
  }
  const engine = createSqliteEngine({ path: ':memory:', pollMs: 20 })
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
