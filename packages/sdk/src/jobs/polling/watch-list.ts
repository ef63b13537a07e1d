import type { ResolvedOptions } from '../../options.ts'
import { createAbortGroups } from './abort-groups.ts'
import type { PollSchedule } from './agenda.ts'
import { type EarlyEnd, type LastSeen, type PolledJob, pollKey, type Subscriber } from './job-watch.ts'

/** Who waits for which job. */
export interface PolledJobs {
  /** Adds a watcher to the watch of its job. */
  add(subscriber: Subscriber): PolledJob
  /** Takes a watcher out; the last one of a job ends the looks at it, and the last one of all the timer. */
  remove(subscriber: Subscriber): void
  /** Takes a watcher out and tells it why. */
  endEarly(subscriber: Subscriber, end: EarlyEnd): void
  /** Takes out everybody who waits for a job, and tells them. */
  close(polled: PolledJob, notify: (subscriber: Subscriber) => void): void
}

export function createPolledJobs({ clock, polling }: ResolvedOptions, schedule: PollSchedule): PolledJobs {
  const jobsByKey = new Map<string, PolledJob>()
  const signals = createAbortGroups<Subscriber>(abort)
  const idOf = createIdentities()
  let order = 0

  function add(subscriber: Subscriber): PolledJob {
    const key = pollKey(subscriber.job, subscriber.options, idOf)
    const polled =
      jobsByKey.get(key) ?? newPolledJob(subscriber, { key, order: order++, now: clock.now() }, polling.maxIntervalMs)
    const { signal } = subscriber.options
    jobsByKey.set(key, polled)
    polled.subscribers.push(subscriber)
    subscriber.polled = polled
    subscriber.order = order++
    if (subscriber.at < Number.POSITIVE_INFINITY) schedule.deadlines.put(subscriber)
    if (signal) signals.add(signal, subscriber)
    return polled
  }

  function remove(subscriber: Subscriber): void {
    const { polled } = subscriber
    const { signal } = subscriber.options
    if (!polled) return
    subscriber.polled = undefined
    schedule.deadlines.remove(subscriber)
    if (signal) signals.remove(signal, subscriber)
    polled.subscribers.splice(polled.subscribers.indexOf(subscriber), 1)
    if (polled.subscribers.length > 0) return
    jobsByKey.delete(polled.key)
    schedule.nextPolls.remove(polled)
    polled.poll?.abort()
    if (jobsByKey.size === 0) schedule.stop()
  }

  function endEarly(subscriber: Subscriber, end: EarlyEnd): void {
    const { polled } = subscriber
    if (!polled) return
    remove(subscriber)
    subscriber.onEarlyEnd(end, polled)
  }

  function abort(subscribers: readonly Subscriber[]): void {
    const seen = subscribers.map(({ polled }) => polled)
    // The latest first: a heap gives up its last items fastest.
    for (const subscriber of subscribers.toReversed()) remove(subscriber)
    for (const [index, subscriber] of subscribers.entries())
      subscriber.onEarlyEnd('aborted', seen[index] ?? NOTHING_SEEN)
  }

  return {
    add,
    remove,
    endEarly,
    close: (polled, notify) => {
      for (const subscriber of [...polled.subscribers]) {
        remove(subscriber)
        notify(subscriber)
      }
    },
  }
}

const NOTHING_SEEN: LastSeen = { state: undefined, failure: undefined }

/** Numbers objects that cannot be compared by what they hold, such as a dispatcher. */
function createIdentities(): (object: object) => number {
  const numbers = new WeakMap<object, number>()
  let count = 0
  return (object) => {
    const number = numbers.get(object) ?? count++
    numbers.set(object, number)
    return number
  }
}

function newPolledJob(
  { job, options }: Subscriber,
  { key, order, now }: { key: string; order: number; now: number },
  longestGapMs: number,
): PolledJob {
  const { submittedAt = now, seenAt, state } = job
  return {
    key,
    job,
    options,
    subscribers: [],
    bornAt: submittedAt,
    isSeenFromStart: seenAt !== undefined && now - seenAt <= longestGapMs,
    seenAt,
    polledAt: seenAt ?? now,
    notBefore: now,
    polls: 0,
    state,
    failure: undefined,
    poll: undefined,
    at: Number.POSITIVE_INFINITY,
    order,
    slot: -1,
  }
}
