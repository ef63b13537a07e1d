import { createRuns } from '@modelrun/durable'
import { expect, it } from 'vitest'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

const PRICE = 4

it('sends what was rejected for the budget when it is added again with a higher limit', async () => {
  const { server, runs, engine, client } = await setUpRuns({ maxCredits: PRICE })
  for (const key of ['a', 'b', 'c']) await runs.add(key, MODEL, { prompt: key })
  const first = await finish(runs)
  expect(first.map(({ state }) => state).toSorted()).toEqual(['rejected', 'rejected', 'succeeded'])
  for (const key of ['a', 'b', 'c']) await runs.add(key, MODEL, { prompt: key }) // the same limit: nothing changes
  expect(await finish(runs)).toHaveLength(3)
  await runs.stop()

  const higher = createRuns({ engine, client, maxCredits: 2 * PRICE })
  for (const key of ['a', 'b', 'c']) await higher.add(key, MODEL, { prompt: key })
  await finish(higher)
  expect(await higher.progress()).toMatchObject({ total: 3, done: 3, waiting: 0, running: 0, credits: 2 * PRICE })
  await higher.stop()

  const unlimited = createRuns({ engine, client })
  const items = ['a', 'b', 'c'].map((prompt) => ({ key: prompt, input: { prompt } }))
  for await (const { run } of unlimited.runEach(MODEL, items)) expect(run.state).toBe('succeeded')
  expect(await unlimited.progress()).toMatchObject({ total: 3, done: 3, waiting: 0, running: 0, credits: 3 * PRICE })
  expect(posts(server)).toEqual({ a: 1, b: 1, c: 1 })
})
