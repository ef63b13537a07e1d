import { RetryAfterError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { testsOf } from '../../../../kit/test/engine/engine-check.ts'
import { TASK_CHECKS } from '../../../../kit/test/engine/task-checks.ts'
import { settle } from '../../../test/manual-clock.ts'
import { openMemoryEngine as open } from '../../../test/test-memory-engine.ts'
import { createMemoryEngine } from './memory-engine.ts'

const shared = createMemoryEngine()

/** Of batches, which are never in memory. */
const NOT_OF_INBOXES = /^a (rate|pause) holds /
const checks = testsOf(TASK_CHECKS, () => shared).filter(({ name }) => !NOT_OF_INBOXES.test(name))

test.concurrent.for(checks)('$name', ({ run }) => run())

describe('on the clock of the inbox', () => {
  test('tasks run in the order in which they are due, then in which they were added', async () => {
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

  test('a task that fails waits twice as long each time, up to 5 minutes, and at least half of that', async () => {
    const { clock, engine, recorded, times } = open()
    const fail = () => {
      throw new Error('no')
    }
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
  })

  test('a task whose worker stops is taken by another one when it is due again', async () => {
    const { clock, engine, recorded, times } = open()
    const handler = recorded(({ fence }) => {
      if (fence === 1) throw new RetryAfterError(7_000)
    })
    const first = engine.work('q', handler)
    engine.work('q', handler)
    await engine.add('q', 'a', { data: null })
    await settle()
    await first.stop()
    await clock.advance(10_000)
    expect(times()).toEqual([0, 7_000])
    expect(clock.timerCount).toBe(0)
  })
})

test('data and results stay as they were, whatever is changed outside', async () => {
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

test('a queue remembers its latest 10,000 ended tasks', async () => {
  const { engine, recorded } = open()
  for (let n = 0; n <= 10_000; n++) await engine.add('q', `task_${n}`, { data: null })
  engine.work('q', recorded())
  await vi.waitFor(async () => expect(await engine.list('q', 'waiting')).toEqual([]), { timeout: 100_000 })
  await expect(engine.get('q', 'task_0')).resolves.toBeUndefined()
  await expect(engine.get('q', 'task_1')).resolves.toMatchObject({ state: 'done' })
})
