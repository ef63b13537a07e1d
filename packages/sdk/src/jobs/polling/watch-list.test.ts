import { expect, test } from 'vitest'
import { resolveOptions } from '../../options.ts'
import { createManualClock } from '../../testing/manual-clock.ts'
import { API_KEY, BASE_URL } from '../../testing/test-client.ts'
import type { JobReference } from '../job-reference.ts'
import { createPollSchedule } from './agenda.ts'
import type { EarlyEnd, LastSeen, Subscriber } from './job-watch.ts'
import { createPolledJobs } from './watch-list.ts'

function setup() {
  const clock = createManualClock()
  const ends: [order: number, end: EarlyEnd, status: string | undefined][] = []
  const schedule = createPollSchedule(clock, {
    poll: () => {},
    nextPollAt: () => Number.POSITIVE_INFINITY,
    endAtDeadline: (subscriber) => list.endEarly(subscriber, 'deadline'),
  })
  const options = resolveOptions({ apiKey: API_KEY, baseUrl: BASE_URL, clock, polling: { maxIntervalMs: 5_000 } })
  const list = createPolledJobs(options, schedule)
  /** One who waits. The rest of a watcher does not matter to the list. */
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
  return { clock, now: clock.now(), agenda: schedule, list, ends, waiter }
}

test('the age of a job counts from its submission, and its silence from its last known state', () => {
  const { list, waiter, now } = setup()
  const state = { status: 'queued' }
  const known = list.add(waiter({ jobId: 'a', submittedAt: now - 9_000, seenAt: now - 5_000, state }))
  expect(known).toMatchObject({
    bornAt: now - 9_000,
    seenAt: now - 5_000,
    polledAt: now - 5_000,
    notBefore: now,
    state,
  })
  const unknown = list.add(waiter({ jobId: 'b' }))
  expect(unknown).toMatchObject({ bornAt: now, polledAt: now, notBefore: now, polls: 0, at: Number.POSITIVE_INFINITY })
  expect([unknown.seenAt, unknown.state]).toEqual([undefined, undefined])
})

test.each([
  ['within the longest interval', 5_000, true],
  ['longer ago', 5_001, false],
])('a job whose state was given %s is seen from its start: %i ms', (_, agoMs, isSeenFromStart) => {
  const { list, waiter, now } = setup()
  expect(list.add(waiter({ seenAt: now - agoMs })).isSeenFromStart).toBe(isSeenFromStart)
})

test('a job of unknown state is not seen from its start', () => {
  const { list, waiter } = setup()
  expect(list.add(waiter()).isSeenFromStart).toBe(false)
})

test('the waits for one job share a watch, and the last one that leaves aborts its poll', () => {
  const { list, waiter } = setup()
  const [one, other] = [waiter(), waiter()]
  const polled = list.add(one)
  expect(list.add(other)).toBe(polled)
  const poll = new AbortController()
  polled.poll = poll
  list.remove(one)
  expect([poll.signal.aborted, one.polled, polled.subscribers]).toEqual([false, undefined, [other]])
  list.remove(other)
  expect(poll.signal.aborted).toBe(true)
  expect(list.add(waiter())).not.toBe(polled)
})

test('no timer is left when the last one of all has left', () => {
  const { clock, list, agenda: schedule, waiter } = setup()
  const [one, other] = [waiter({ jobId: 'a' }, { deadlineMs: 1_000 }), waiter({ jobId: 'b' }, { deadlineMs: 2_000 })]
  for (const each of [one, other]) list.add(each)
  schedule.run()
  list.remove(one)
  expect(clock.timerCount).toBe(1)
  list.remove(other)
  expect(clock.timerCount).toBe(0)
})

test('a wait that has left is not notified again', async () => {
  const { clock, list, agenda: schedule, ends, waiter } = setup()
  const controller = new AbortController()
  const gone = waiter({}, { signal: controller.signal, deadlineMs: 1_000 })
  const other = waiter({ jobId: 'b' }, { deadlineMs: 5_000 })
  for (const each of [gone, other]) list.add(each)
  schedule.run()
  list.remove(gone)
  list.remove(gone)
  list.endEarly(gone, 'aborted')
  controller.abort()
  await clock.advance(4_999)
  expect(ends).toEqual([])
  await clock.advance(1)
  expect(ends).toMatchObject([[other.order, 'deadline', undefined]])
})

test('an abort notifies all waits of its signal, in their order, with the last state of their jobs', () => {
  const { list, ends, waiter } = setup()
  const controller = new AbortController()
  const waiters = ['a', 'b', 'c'].map((jobId) => waiter({ jobId, state: { status: jobId } }, controller))
  for (const each of waiters) list.add(each)
  list.add(waiter())
  controller.abort()
  expect(ends.map(([, end, status]) => [end, status])).toEqual([
    ['aborted', 'a'],
    ['aborted', 'b'],
    ['aborted', 'c'],
  ])
  expect(waiters.every(({ polled }) => polled === undefined)).toBe(true)
})

test('the end of a job notifies all who wait for it, and they have left by then', () => {
  const { list, waiter } = setup()
  const [one, other] = [waiter(), waiter()]
  const told: Subscriber[] = []
  const polled = list.add(one)
  list.add(other)
  list.close(polled, (subscriber) => {
    told.push(subscriber)
    expect(subscriber.polled).toBeUndefined()
  })
  expect(told).toEqual([one, other])
  expect(polled.subscribers).toEqual([])
})
