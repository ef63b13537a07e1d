import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

const PRICE = 4

it('rejects no run for credits that were counted by a call whose response was lost', async () => {
  const store = createSqliteEngine({ path: ':memory:', pollMs: 20 })
  let calls = 0
  const reserve: typeof store.reserve = async (...args) => {
    const isCounted = await store.reserve(...args)
    calls += 1
    if (calls % 2 === 1) throw new Error('The response was lost.')
    return isCounted
  }
  const keys = Array.from({ length: 10 }, (_, index) => `key-${index}`)
  const { runs } = await setUpRuns({ engine: { ...store, reserve }, maxCredits: keys.length * PRICE })
  for (const key of keys) await runs.add(key, MODEL, { prompt: key })
  expect((await finish(runs)).map(({ state }) => state)).toEqual(keys.map(() => 'succeeded'))
  expect(await runs.progress()).toMatchObject({ credits: keys.length * PRICE })
})

it('gives back what a rejected run was counted with, and counts each send that may be charged', async () => {
  const { server, runs } = await setUpRuns()
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 2 })
  await runs.add('a', MODEL, { prompt: 'a' })
  await finish(runs)
  expect(await runs.progress()).toMatchObject({ unknown: 1, credits: PRICE })
  for (const credits of [2 * PRICE, 3 * PRICE]) {
    expect(await runs.resubmit('a')).toBe(true)
    await finish(runs)
    expect(await runs.progress()).toMatchObject({ credits })
  }
  await runs.add('wrong', MODEL, { prompt: 'x', num_images: 99 })
  await finish(runs)
  expect(await runs.progress()).toMatchObject({ done: 2, unknown: 0, credits: 3 * PRICE })
  expect(posts(server)).toMatchObject({ a: 3 })
})

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
