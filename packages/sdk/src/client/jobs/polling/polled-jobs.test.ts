import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../../test/manual-clock.ts'
import type { JobReference } from '../job-operations.ts'
import { createPolledJobs, type EarlyEnd, type LastSeen, type Subscriber } from './polled-jobs.ts'

function setup() {
  const clock = createManualClock()
  const ends: [order: number, end: EarlyEnd, status: string | undefined][] = []
  const list = createPolledJobs({ clock, isShared: true, polling: { maxIntervalMs: 5_000 }, onEmpty: () => {} })
  /** A subscriber. The list uses no other members of it. */
  const waiter = (job: Partial<JobReference> = {}, of: { signal?: AbortSignal; deadlineMs?: number } = {}) => {
    const subscriber = {
      job: { jobId: 'job_1', ...job },
      options: { signal: of.signal },
      at: clock.now() + (of.deadlineMs ?? Number.POSITIVE_INFINITY),
      order: 0,
      slot: -1,
      polled: undefined,
      onEarlyEnd: (end: EarlyEnd, seen: LastSeen) => ends.push([subscriber.order, end, seen.state?.status]),
    }
    return subscriber as unknown as Subscriber
  }
  return { now: clock.now(), list, ends, waiter }
}

test('the age of a job counts from its submission, and its silence from its last known state', () => {
  const { list, waiter, now } = setup()
  const state = { status: 'queued' }
  const known = list.add(waiter({ jobId: 'a', submittedAt: now - 9_000, seenAt: now - 5_000, state }))
  const seen = { seenAt: now - 5_000, polledAt: now - 5_000, state }
  expect(known).toMatchObject({ bornAt: now - 9_000, notBefore: now, ...seen })
  const unknown = list.add(waiter({ jobId: 'b' }))
  expect(unknown).toMatchObject({ bornAt: now, polledAt: now, notBefore: now, polls: 0, at: Number.POSITIVE_INFINITY })
  expect([unknown.seenAt, unknown.state, unknown.isSeenFromStart]).toEqual([undefined, undefined, false])
})

test.each([
  ['within the longest interval', 5_000, true],
  ['longer ago', 5_001, false],
])('a job whose state was given %s is seen from its start: %i ms', (_, agoMs, isSeenFromStart) => {
  const { list, waiter, now } = setup()
  expect(list.add(waiter({ seenAt: now - agoMs })).isSeenFromStart).toBe(isSeenFromStart)
})

test('a wait that has left is not notified again', () => {
  const { list, ends, waiter } = setup()
  const controller = new AbortController()
  const gone = waiter({}, { signal: controller.signal, deadlineMs: 1_000 })
  const other = waiter({ jobId: 'b' }, { deadlineMs: 5_000 })
  for (const each of [gone, other]) list.add(each)
  list.remove(gone)
  list.remove(gone)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  list.endEarly(gone, 'aborted')
  controller.abort()
  expect(ends).toEqual([])
  expect(list.deadlines.first()).toBe(other)
})
