import { describe, expect, test } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { openMemoryEngine as open } from '../../../test/test-memory-engine.ts'
import { Again, PauseQueue, Permanent } from './task-ends.ts'

const fail = () => {
  throw new Error('no')
}

describe('a task', () => {
  test('runs in the order in which it was added, when it is due', async () => {
    const { clock, engine, runs, recorded } = open()
    await engine.add('q', 'late', { data: null, delayMs: 5_000 })
    for (const id of ['a', 'b']) await engine.add('q', id, { data: null })
    engine.work('q', recorded(), { concurrency: 1 })
    await clock.advance(4_999)
    expect(runs).toEqual([
      ['a', 0],
      ['b', 0],
    ])
    await clock.advance(1)
    expect(runs.at(-1)).toEqual(['late', 5_000])
  })

  test('is added once by its id, in any state, and in one queue', async () => {
    const { engine, runs, recorded } = open()
    engine.work('q', recorded())
    for (let time = 0; time < 3; time++) {
      await engine.add('q', 'a', { data: time })
      await settle()
    }
    await engine.add('other', 'a', { data: 9 })
    expect(runs).toHaveLength(1)
    await expect(engine.get('q', 'a')).resolves.toMatchObject({ state: 'done', data: 0 })
    await expect(engine.get('other', 'a')).resolves.toMatchObject({ state: 'waiting', data: 9 })
  })

  test('keeps its data and its result as they were, whatever is changed outside', async () => {
    const { engine, recorded } = open()
    const data = { list: [1] }
    await engine.add('q', 'a', { data })
    data.list.push(2)
    engine.work(
      'q',
      recorded(({ data }) => {
        Object(data).list.push(3)
        return data
      }),
    )
    await settle()
    await expect(engine.get('q', 'a')).resolves.toEqual({
      id: 'a',
      state: 'done',
      data: { list: [1] },
      result: { list: [1, 3] },
      error: undefined,
      addedAt: Date.UTC(2026, 0, 1),
      endedAt: Date.UTC(2026, 0, 1),
      cursor: expect.any(String),
    })
  })
})

describe('a handler that throws', () => {
  test('runs again after waits that double up to 5 minutes, each at least half of that; then the task is dead', async () => {
    const { clock, engine, recorded, times } = open()
    engine.work('q', recorded(fail), { attempts: 12, backoffMs: 1_000 })
    await engine.add('q', 'a', { data: null })
    await clock.advance(3_600_000)
    const waits = times()
      .map((at, index) => at - (times()[index - 1] ?? 0))
      .slice(1)
    expect(waits).toHaveLength(11)
    for (const [index, wait] of waits.entries()) {
      const longest = Math.min(300_000, 1_000 * 2 ** index)
      expect(wait).toBeGreaterThanOrEqual(longest / 2)
      expect(wait).toBeLessThanOrEqual(longest)
    }
    await expect(engine.get('q', 'a')).resolves.toMatchObject({
      state: 'dead',
      error: { code: 'error', message: 'no' },
    })
  })

  test.each<[string, () => unknown, object]>([
    ['Permanent', () => new Permanent('bad_id', 'x'), { code: 'bad_id', message: 'x' }],
    [
      'a Permanent of another copy',
      () => Object.assign(new Error('x'), { name: 'Permanent', code: 'y' }),
      { code: 'y' },
    ],
  ])('%s has a dead task at once', async (_, error, expected) => {
    const { clock, engine, runs, recorded } = open()
    const handler = recorded(() => {
      throw error()
    })
    engine.work('q', handler)
    await engine.add('q', 'a', { data: null })
    await clock.advance(60_000)
    expect(runs).toHaveLength(1)
    await expect(engine.get('q', 'a')).resolves.toMatchObject({ state: 'dead', error: expected })
  })

  test('Again runs later, and the attempt does not count', async () => {
    const { clock, engine, recorded, times } = open()
    const attempts: number[] = []
    const handler = recorded(({ attempt, fence }) => {
      attempts.push(attempt)
      if (fence < 4) throw new Again(7_000)
    })
    engine.work('q', handler, { attempts: 1 })
    await engine.add('q', 'a', { data: null })
    await clock.advance(60_000)
    expect(times()).toEqual([0, 7_000, 14_000, 21_000])
    expect(attempts).toEqual([1, 1, 1, 1])
  })

  test('PauseQueue lets all tasks of the queue wait, and no other queue', async () => {
    const { clock, engine, runs, recorded } = open()
    const handler = recorded(({ id, fence }) => {
      if (id === 'a' && fence === 1) throw new PauseQueue(10_000)
    })
    engine.work('q', handler, { concurrency: 1 })
    engine.work('other', handler)
    for (const id of ['a', 'b']) await engine.add('q', id, { data: null })
    await engine.add('other', 'c', { data: null })
    await clock.advance(9_999)
    expect(runs.map(([id]) => id).sort()).toEqual(['a', 'c'])
    await clock.advance(1)
    expect(
      runs
        .slice(2)
        .map(([id]) => id)
        .sort(),
    ).toEqual(['a', 'b'])
  })

  test('synchronously has failed like any other', async () => {
    const { engine } = open()
    engine.work('q', () => fail(), { attempts: 1 })
    await engine.add('q', 'a', { data: null })
    await settle()
    await expect(engine.get('q', 'a')).resolves.toMatchObject({ state: 'dead' })
  })
})

describe('remove and replay', () => {
  test('remove takes a task that does not run, and frees its id', async () => {
    const { clock, engine, runs, recorded } = open()
    await engine.add('q', 'a', { data: 1, delayMs: 1_000 })
    await expect(engine.remove('q', 'a')).resolves.toBe(true)
    await expect(engine.remove('q', 'a')).resolves.toBe(false)
    engine.work(
      'q',
      recorded(() => new Promise(() => {})),
    )
    await clock.advance(2_000)
    expect(runs).toEqual([])
    await engine.add('q', 'a', { data: 2 })
    await settle()
    await expect(engine.remove('q', 'a')).resolves.toBe(false)
    await expect(engine.get('q', 'a')).resolves.toMatchObject({ state: 'running', data: 2 })
  })

  test('replay lets a dead task run as if it had never run, and no other', async () => {
    const { engine, recorded } = open()
    const seen: number[][] = []
    const handler = recorded(({ attempt, fence }) => {
      seen.push([attempt, fence])
      if (fence === 1) throw new Permanent('x', 'x')
    })
    engine.work('q', handler)
    await engine.add('q', 'a', { data: null })
    await settle()
    await expect(engine.replay('q', 'a')).resolves.toBe(true)
    await settle()
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
    ])
    await expect(engine.get('q', 'a')).resolves.toMatchObject({ state: 'done', error: undefined })
    await expect(engine.replay('q', 'a')).resolves.toBe(false)
    await expect(engine.replay('q', 'b')).resolves.toBe(false)
  })
})

describe('list', () => {
  test('gives pages in the order of ends, or in that of adds', async () => {
    const { clock, engine, recorded } = open()
    const handler = recorded(({ id }) => {
      if (id === 'first') throw new Again(1_000)
    })
    for (const id of ['x', 'y', 'z']) await engine.add('waits', id, { data: null })
    for (const id of ['first', 'b', 'c', 'd']) await engine.add('q', id, { data: null })
    const worker = engine.work('q', handler)
    await settle()
    await worker.stop()
    engine.work('q', recorded())
    await clock.advance(1_000)
    const page = await engine.list('q', 'done', { limit: 2 })
    expect(page.map(({ id }) => id)).toEqual(['b', 'c'])
    const rest = await engine.list('q', 'done', { after: page.at(-1)?.cursor })
    expect(rest.map(({ id }) => id)).toEqual(['d', 'first'])
    expect((await engine.list('waits', 'waiting')).map(({ id }) => id)).toEqual(['x', 'y', 'z'])
    await expect(engine.list('none', 'dead')).resolves.toEqual([])
  })

  test('gives 100 tasks by default', async () => {
    const { engine } = open()
    for (let n = 0; n < 150; n++) await engine.add('q', `${n}`, { data: null })
    await expect(engine.list('q', 'waiting')).resolves.toHaveLength(100)
  })
})

describe('the memory', () => {
  test('rejects what is more than `maxUnfinished` of a queue with a worker', async () => {
    const { engine, recorded } = open({ maxUnfinished: 2 })
    const handler = recorded(() => new Promise(() => {}))
    for (const queue of ['q', 'r']) engine.work(queue, handler)
    for (const id of ['a', 'b']) await engine.add('q', id, { data: null })
    await expect(engine.add('q', 'c', { data: null })).rejects.toThrow('holds 2 unfinished tasks')
    await expect(engine.add('r', 'c', { data: null })).resolves.toBeUndefined()
  })

  test('forgets the oldest task of a queue without a worker, so that the queue always takes new tasks', async () => {
    const { engine, recorded } = open({ maxUnfinished: 3 })
    for (let n = 0; n < 10; n++) await engine.add('notes', `${n}`, { data: null })
    expect((await engine.list('notes', 'waiting')).map(({ id }) => id)).toEqual(['7', '8', '9'])
    engine.work('q', recorded())
    await expect(engine.add('q', 'a', { data: null })).resolves.toBeUndefined()
  })

  test('remembers the latest `maxFinished` ended tasks of each queue', async () => {
    const { engine, recorded } = open({ maxFinished: 2 })
    engine.work('q', recorded(), { concurrency: 1 })
    for (const id of ['a', 'b', 'c']) await engine.add('q', id, { data: null })
    await settle()
    expect((await engine.list('q', 'done')).map(({ id }) => id)).toEqual(['b', 'c'])
  })
})
