import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { expect, it } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { createSqliteEngine } from '../sqlite/sqlite-engine.ts'

useVirtualTime()

const IN_FLIGHT = 10
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it.each([
  ['an abort', 'AbortedError', IN_FLIGHT],
  ['an error of its inputs', 'Error', IN_FLIGHT + 64], // the inputs that were taken before it failed
  ['the end of its consumer', undefined, IN_FLIGHT],
])('sends no further run after %s, although the consumer is slow', async (why, error, most) => {
  const { runs, sent } = await openBatch({ concurrency: IN_FLIGHT, submitRate: { max: 5, perMs: 1_000 } })
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
      sentAtEnd = sent.length
      if (why === 'the end of its consumer') break
      if (why === 'an abort') controller.abort(new Error('enough'))
      else fails = true
      await sleep(60_000)
    }
  }
  expect(await settled(loop().catch(({ name }: Error) => name))).toBe(error)
  await pass(60_000)
  expect(sent.length - sentAtEnd).toBeLessThanOrEqual(most)
  const after = sent.length
  await pass(600_000)
  expect(sent).toHaveLength(after)
})

it('continues its loops when the store was away for a while', async () => {
  const store = createSqliteEngine({ path: ':memory:', pollMs: 1_000 })
  let isAway = false
  const away = <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) => {
    return async (...args: Args) => {
      if (isAway) throw new Error('ECONNREFUSED')
      return call(...args)
    }
  }
  const { add, get, list, count, reserve, release, replay, remove, total } = store
  const calls = { add, get, list, count, reserve, release, replay, remove, total }
  const engine: typeof store = {
    ...store,
    guardedBy: () => engine,
    ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, away(call as never)])),
  }
  const errors: unknown[] = []
  const { runs, sent } = await openBatch({ engine, onError: (error) => errors.push(error) })
  await runs.add('first', MODEL, { prompt: 'first' })
  runs.start()
  const results: string[] = []
  const read = (async () => {
    for await (const { key } of runs.results()) results.push(key)
  })()
  const items = Array.from({ length: 40 }, (_, index) => ({ key: `${index}`, input: { prompt: `fox ${index}` } }))
  const states: string[] = []
  const each = async () => {
    for await (const { run } of runs.runEach(MODEL, items, { concurrency: 5 })) {
      states.push(run.state)
      if (states.length !== 5) continue
      isAway = true
      setTimeout(() => {
        isAway = false
      }, 700)
    }
  }
  await settled(Promise.all([each(), read]))
  expect(states).toEqual(items.map(() => 'succeeded'))
  expect(errors.length).toBeGreaterThan(0)
  expect(new Set(sent).size).toBe(sent.length)
  expect(results).toContain('first')
  await settled(runs.stop())
})

it('waits for a run that is being sent after an error of its inputs, until it is aborted', async () => {
  const options = createReferenceServer({ clock: 'system' }).clientOptions()
  const fetch: typeof globalThis.fetch = (url, init) =>
    init?.method === 'POST' ? new Promise(() => {}) : options.fetch(url, init)
  const { runs } = await openBatch({ client: new ModelRun({ ...options, clock: undefined, fetch }) })
  async function* items() {
    yield { key: 'a', input: { prompt: 'a' } }
    await sleep(1_000)
    throw new Error('no more inputs')
  }
  const controller = new AbortController()
  const each = async () => {
    for await (const _ of runs.runEach(MODEL, items(), { signal: controller.signal }));
  }
  const startedAt = performance.now()
  setTimeout(() => controller.abort(), 5_000)
  await expect(settled(each())).rejects.toThrow('no more inputs')
  expect(performance.now() - startedAt).toBe(5_000)
})

it('yields results until no run is open, also of a run that moves between all reads of its state', async () => {
  const store = createSqliteEngine({ path: ':memory:', pollMs: 1_000 })
  const list: typeof store.list = async (queue, ...page) =>
    queue.endsWith(':outcomes') ? store.list(queue, ...page) : []
  const { runs } = await openBatch({ engine: { ...store, list }, jobMs: 5_000 })
  await runs.add('a', MODEL, { prompt: 'a' })
  runs.start()
  const keys: string[] = []
  const read = async () => {
    for await (const { key } of runs.results()) keys.push(key)
  }
  await settled(read())
  expect(keys).toEqual(['a'])
})

it('takes what an item is at that moment', async () => {
  const { runs, sent } = await openBatch()
  function* items() {
    const item = { key: '', input: { prompt: '' } }
    for (const key of ['a', 'b']) yield Object.assign(item, { key, input: { prompt: key } })
  }
  const keys: string[] = []
  const each = async () => {
    for await (const { run } of runs.runEach(MODEL, items())) keys.push(run.key)
  }
  await settled(each())
  expect([keys.sort(), [...sent].sort()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

it('ends a loop at once when its store has never responded, as without setup()', async () => {
  const { runs, engine } = await openBatch()
  await engine.close()
  runs.start()
  const loops = [runs.results(), runs.runEach(MODEL, [{ key: 'a', input: { prompt: 'a' } }])]
  for (const loop of loops)
    await expect(settled(Promise.resolve(loop[Symbol.asyncIterator]().next()))).rejects.toThrow()
  await settled(runs.stop())
})
