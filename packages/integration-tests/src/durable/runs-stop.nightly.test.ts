import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { finish, MODEL, posts, setUpRuns } from './runs-harness.ts'

const IN_FLIGHT = 10
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const countOf = (posted: Record<string, number>) => Object.values(posted).reduce((sum, count) => sum + count, 0)

it.each(['an abort', 'an error of its inputs'])(
  'sends no further run after %s, although the consumer is slow',
  async (why) => {
    const { server, runs } = await setUpRuns({ concurrency: IN_FLIGHT })
    const controller = new AbortController()
    let fails = false
    async function* items() {
      for (let index = 0; index < 2_000; index += 1) {
        if (fails) throw new Error('no more inputs')
        yield { key: `fox-${index}`, input: { prompt: `fox ${index}` } }
      }
    }
    let sentAtEnd = 0
    const loop = async () => {
      for await (const _ of runs.runEach(MODEL, items(), { concurrency: 64, signal: controller.signal })) {
        if (sentAtEnd > 0) continue
        sentAtEnd = countOf(posts(server))
        if (why === 'an abort') controller.abort(new Error('enough'))
        else fails = true
        await sleep(1_500)
      }
    }
    await expect(loop()).rejects.toMatchObject({ name: why === 'an abort' ? 'AbortedError' : 'Error' })
    const most = why === 'an abort' ? IN_FLIGHT : IN_FLIGHT + 64 // the inputs that were taken before it failed
    expect(countOf(posts(server)) - sentAtEnd).toBeLessThanOrEqual(most)
    const after = countOf(posts(server))
    await sleep(300)
    expect(countOf(posts(server))).toBe(after)
  },
  30_000,
)

it('continues its loops when the store was away for a while', async () => {
  const store = createSqliteEngine({ path: ':memory:', pollMs: 20 })
  let isAway = false
  const away = <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) => {
    return async (...args: Args) => {
      if (isAway) throw new Error('ECONNREFUSED')
      return call(...args)
    }
  }
  const { add, get, list, count, reserve, release, replay, remove, total } = store
  const calls = { add, get, list, count, reserve, release, replay, remove, total }
  const engine = {
    ...store,
    ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, away(call as never)])),
  }
  const errors: unknown[] = []
  const { server, runs } = await setUpRuns({ engine, onError: (error) => errors.push(error) })
  await runs.add('first', MODEL, { prompt: 'first' })
  runs.start()
  const results: string[] = []
  const read = (async () => {
    for await (const { key } of runs.results()) results.push(key)
  })()
  await expect.poll(() => runs.progress()).toMatchObject({ total: 1 })
  const items = Array.from({ length: 40 }, (_, index) => ({ key: `${index}`, input: { prompt: `fox ${index}` } }))
  const states: string[] = []
  for await (const { run } of runs.runEach(MODEL, items, { concurrency: 5 })) {
    states.push(run.state)
    if (states.length !== 5) continue
    isAway = true
    setTimeout(() => {
      isAway = false
    }, 700)
  }
  expect(states).toEqual(items.map(() => 'succeeded'))
  expect(errors.length).toBeGreaterThan(0)
  expect(Math.max(...Object.values(posts(server)))).toBe(1)
  await read
  expect(results).toContain('first')
  expect((await finish(runs)).length).toBe(41)
}, 40_000)

it('ends a loop at once when its store has never responded, as without setup()', async () => {
  const { runs, engine } = await setUpRuns()
  await engine.close()
  await expect(finish(runs)).rejects.toThrow()
  const loop = async () => {
    for await (const _ of runs.runEach(MODEL, [{ key: 'a', input: { prompt: 'a' } }])) expect.fail('yielded')
  }
  await expect(loop()).rejects.toThrow()
  await runs.stop()
})
