import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { createPollSchedule } from './agenda.ts'
import type { HeapItem } from './heap.ts'
import type { Subscriber } from './job-watch.ts'

function setup() {
  const clock = createManualClock()
  const startedAt = clock.now()
  const ended: number[] = []
  let timersSet = 0
  const counting = {
    ...clock,
    setTimeout: (callback: () => void, delayMs: number) => {
      timersSet++
      return clock.setTimeout(callback, delayMs)
    },
  }
  const schedule = createPollSchedule(counting, {
    poll: () => {},
    nextPollAt: () => Number.NEGATIVE_INFINITY,
    endAtDeadline: (subscriber) => {
      schedule.deadlines.remove(subscriber)
      ended.push(clock.now() - startedAt)
    },
  })
  /** Adds a wait, of which an agenda knows nothing but its deadline. */
  const add = (deadlineMs: number, order: number) => {
    const wait: HeapItem = { at: startedAt + deadlineMs, order, slot: -1 }
    schedule.deadlines.put(wait as Subscriber)
    schedule.run()
  }
  return { clock, agenda: schedule, ended, add, timersSet: () => timersSet }
}

test('many waits that end together need one timer', async () => {
  const { clock, add, ended, timersSet } = setup()
  for (let order = 0; order < 100; order++) add(1_000, order)
  expect(timersSet()).toBe(1)
  await clock.advance(1_000)
  expect(ended).toEqual(Array.from({ length: 100 }, () => 1_000))
  expect(clock.timerCount).toBe(0)
})

test('a wait that ends sooner brings the timer forward, and one that ends later leaves it', async () => {
  const { clock, add, ended, timersSet } = setup()
  for (const [order, deadlineMs] of [2_000, 3_000, 1_000].entries()) add(deadlineMs, order)
  expect([timersSet(), clock.timerCount]).toEqual([2, 1])
  await clock.advance(3_000)
  expect(ended).toEqual([1_000, 2_000, 3_000])
})

test('nothing to do sets no timer', () => {
  const { clock, agenda: schedule } = setup()
  schedule.run()
  expect(clock.timerCount).toBe(0)
})
