import { expect, test } from 'vitest'
import { createManualClock } from '../../../../test/manual-clock.ts'
import { silent } from '../../../../test/scripted-service.ts'
import { createTestCore } from '../../../../test/test-client.ts'
import type { Subscriber } from './polled-jobs.ts'

/** Waits for jobs that webhooks deliver: no poll is due within the deadlines of these tests. */
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
  const { core } = createTestCore([silent()], { clock: counting })
  const add = (jobId: string, deadlineMs: number) => {
    const wait: Partial<Subscriber> = {
      ...{ job: { jobId }, options: {}, hasWebhook: true, isEager: false, wantsStates: false },
      ...{ at: startedAt + deadlineMs, order: 0, slot: -1, polled: undefined },
      within: (work) => work(),
      onEarlyEnd: () => void ended.push(clock.now() - startedAt),
    }
    core.scheduler.join(wait as Subscriber)
  }
  return { clock, ended, add, timersSet: () => timersSet }
}

test('many waits that end together need one timer', async () => {
  const { clock, add, ended, timersSet } = setup()
  for (let index = 0; index < 100; index++) add(`job_${index}`, 1_000)
  expect(timersSet()).toBe(1)
  await clock.advance(1_000)
  expect(ended).toEqual(Array.from({ length: 100 }, () => 1_000))
  expect(clock.timerCount).toBe(0)
})

test('a wait that ends sooner brings the timer forward, and one that ends later leaves it', async () => {
  const { clock, add, ended, timersSet } = setup()
  for (const deadlineMs of [2_000, 3_000, 1_000]) add(`job_${deadlineMs}`, deadlineMs)
  expect([timersSet(), clock.timerCount]).toEqual([2, 1])
  await clock.advance(1_000)
  expect(clock.timerCount).toBe(1)
  await clock.advance(2_000)
  expect([ended, clock.timerCount]).toEqual([[1_000, 2_000, 3_000], 0])
})
