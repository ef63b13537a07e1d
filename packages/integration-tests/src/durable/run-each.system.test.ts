import { join } from 'node:path'
import { createRuns, type Run, type RunItem } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { MODEL, setUpRuns } from './runs-harness.ts'
import { countPosts } from './sent-runs.ts'

/** Two processes with one store; the second may open it when the first has ended. */
async function setUpTwo() {
  const folder = folderForTest()
  const open = () => createSqliteEngine({ path: join(folder, 'runs.db'), pollMs: 20 })
  const here = await setUpRuns({ engine: open() })
  const openOther = () => {
    const engine = open()
    onTestFinished(() => engine.close())
    return createRuns({ engine, client: here.client, pollRate: { max: 1_000, perMs: 1_000 } })
  }
  return { ...here, openOther }
}

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `fox-${index}`, input: { prompt: `fox ${index}` } }))

async function collect<Item extends RunItem>(loop: AsyncIterable<{ item: Item; run: Run }>) {
  const found: { item: Item; run: Run }[] = []
  for await (const each of loop) found.push(each)
  return found
}

describe('runEach', () => {
  it('yields each item with its run, and the same call sends nothing again', async () => {
    const { server, runs } = await setUpRuns()
    const items = [...itemsOf(5), { key: 'fox-0', input: { prompt: 'fox 0' } }] // the same run once more
    const first = await collect(runs.runEach(MODEL, items))
    expect(first.map(({ item }) => items.indexOf(item)).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    expect(first.every(({ item, run }) => item.key === run.key && run.state === 'succeeded')).toBe(true)
    expect(new Set(first.map(({ run }) => run.jobId)).size).toBe(5)
    expect(first[0]?.run.output?.items[0]?.url).toMatch(/\.png$/)

    const before = server.credits()
    const second = await collect(runs.runEach(MODEL, items))
    const jobs = (ended: typeof first) => ended.map(({ run }) => `${run.key} ${run.jobId}`).toSorted()
    expect(jobs(second)).toEqual(jobs(first))
    expect([countPosts(server), server.credits()]).toEqual([5, before])
  })

  it('yields the runs of its own call alone, and those that another process works', async () => {
    const { server, runs, openOther } = await setUpTwo()
    const other = openOther()
    await other.add('other', MODEL, { prompt: 'not of this call' })
    other.start()
    const found = await collect(runs.runEach(MODEL, itemsOf(20), { concurrency: 5 }))
    const keys = itemsOf(20).map(({ key }) => key)
    expect(found.map(({ run }) => run.key).toSorted()).toEqual(keys.toSorted())
    await other.stop()
    expect(countPosts(server)).toBe(21)
  })

  it('yields a run that may have been accepted as unknown, and does not send it again', async () => {
    const { server, runs } = await setUpRuns()
    server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    for (let call = 0; call < 2; call += 1) {
      const found = await collect(runs.runEach(MODEL, itemsOf(1)))
      expect(found).toMatchObject([{ item: { key: 'fox-0' }, run: { state: 'unknown' } }])
    }
    expect(countPosts(server)).toBe(1)
    const [unknown] = await runs.unknown()
    expect(await runs.resubmit(String(unknown?.key))).toBe(true)
    expect(await collect(runs.runEach(MODEL, itemsOf(1)))).toMatchObject([{ run: { state: 'succeeded' } }])
  })

  it.each([
    ['a key of another run', { key: 'hare', input: { prompt: 'fox' } }, /The key hare is that of another run/],
    ['an input that JSON changes', { key: 'a', input: { file: new Uint8Array(1) } }, /\/file/],
    ['no key', { prompt: 'fox' }, /Its key is missing/],
    ['null', null, /Its key is missing/],
  ])('ends with an error for %s, and sends nothing of it', async (_, item, message) => {
    const { server, runs } = await setUpRuns()
    await collect(runs.runEach(MODEL, [{ key: 'hare', input: { prompt: 'hare' } }]))
    await expect(collect(runs.runEach(MODEL, [item as RunItem]))).rejects.toThrow(message)
    expect(countPosts(server)).toBe(1)
  })
})
