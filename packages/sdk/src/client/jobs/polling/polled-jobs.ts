import type { Job } from '@modelrun/contract'
import type { Attempt, ModelRunError } from '@modelrun/kit'
import { createHeap, type HeapItem } from '@modelrun/kit'
import type { CallOptions } from '../../http/operation.ts'
import type { ResolvedOptions } from '../../options.ts'
import type { JobReference } from '../job-operations.ts'

/** The outcome of one poll: the job's state, a failure that may pass, or an error that will not pass. */
export type PollOutcome =
  | { job: Job; attempts: readonly Attempt[]; requestId: string | undefined }
  | { failure: ModelRunError }
  | { error: unknown }

/** The most requests in the error of a wait. */
export const MAX_ATTEMPTS = 10

/** Why a wait ended before its job did. */
export type EarlyEnd = 'aborted' | 'deadline'

/** Why a job was not polled although a wait for it was under way. */
export type HeldBack =
  /** The service asked for a pause, which lasts for so many milliseconds. */
  | { pauseMs: number }
  /** More jobs than the rate of polls was made for. `polls`: how often this one has been polled. */
  | { jobs: number; polls: number }

/** The state of a job after its last poll. */
export interface LastSeen {
  /** The state from the last successful poll. */
  state: Job | undefined
  /** Why the last poll failed, if it did. */
  failure: ModelRunError | undefined
  /** The request that started the job, where it is known, and the last polls. */
  attempts: readonly Attempt[]
  /** The service's id of the last request. */
  requestId: string | undefined
}

/**
 * A wait for a job. `at` is its deadline in milliseconds of the client's clock, `Infinity` for none. Waits have no timers of
 * their own, so that ten thousand stay small.
 */
export interface Subscriber extends HeapItem {
  readonly job: JobReference
  readonly options: CallOptions
  /** True when the first poll is due at once. */
  readonly isEager: boolean
  /** True when each state is wanted, and not only the end. */
  readonly wantsStates: boolean
  /** True when a webhook is expected to deliver the end. */
  readonly hasWebhook: boolean
  /** Does work in the async context of the caller that waits: a timer, which serves many waits, has that of one of them. */
  readonly within: <T>(work: () => T) => T
  /** The job that it waits for, until the wait ends. Only {@link PolledJobs} writes it and `stopListening`. */
  polled: PolledJob | undefined
  /** Removes the listener from the caller's signal. */
  stopListening?: (() => void) | undefined
  /** Called with each new state of the job: callers get copies. `isEnd` is true for the final state. Must not throw. */
  onState(job: Job, isEnd: boolean, seen: LastSeen): void
  /** Called when further polls are useless, for instance because the job does not exist. */
  onError(error: unknown): void
  /** Called when the signal aborted or the deadline passed. */
  onEarlyEnd(end: EarlyEnd, seen: LastSeen, held?: HeldBack): void
}

/** The polls of a wait. `at` is the time of the next one. */
export interface PolledJob extends HeapItem, LastSeen {
  readonly wait: Subscriber
  /** The time from which the job's age counts. */
  readonly bornAt: number
  /** True when the job was polled from its submission on. Only then is its duration known. */
  readonly isSeenFromStart: boolean
  /** When the service last gave the job's state. */
  seenAt: number | undefined
  /** When the last poll ended, with whatever outcome. */
  polledAt: number
  /** The earliest time of the next poll, by the service's `Retry-After`. */
  notBefore: number
  /** Number of polls so far. */
  polls: number
  /** How many polls in a row had no state that can be read, or a success without output. */
  uselessPolls: number
  /** Aborts the poll that is under way. */
  poll: AbortController | undefined
}

/** The waits of a client. */
export type PolledJobs = ReturnType<typeof createPolledJobs>

/** @param onEmpty called when the last wait has ended */
export function createPolledJobs({ clock, polling: { maxIntervalMs } }: ResolvedOptions, onEmpty: () => void) {
  /** The waits by the time of their next poll. One whose poll is under way is not in the heap. */
  const nextPolls = createHeap<PolledJob>()
  /** The waits by their deadline. */
  const deadlines = createHeap<Subscriber>()
  let count = 0
  let order = 0

  function add(wait: Subscriber): PolledJob {
    const polled = newPolledJob(wait, { order: order++, now: clock.now(), maxIntervalMs })
    const { signal } = wait.options
    wait.polled = polled
    wait.order = order++
    count++
    if (wait.at < Number.POSITIVE_INFINITY) deadlines.put(wait)
    const onAbort = () => endEarly(wait, 'aborted')
    signal?.addEventListener('abort', onAbort, { once: true })
    wait.stopListening = signal && (() => signal.removeEventListener('abort', onAbort))
    return polled
  }

  /** Removes a wait. Returns its polls, if it had not ended before. */
  function remove(wait: Subscriber): PolledJob | undefined {
    const { polled } = wait
    if (!polled) return undefined
    wait.polled = undefined
    deadlines.remove(wait)
    wait.stopListening?.()
    nextPolls.remove(polled)
    polled.poll?.abort()
    count--
    if (count === 0) onEmpty()
    return polled
  }

  /** Removes a wait and calls its `onEarlyEnd`. */
  function endEarly(wait: Subscriber, end: EarlyEnd, held?: HeldBack): void {
    const polled = remove(wait)
    if (polled) wait.onEarlyEnd(end, polled, held)
  }

  return { nextPolls, deadlines, count: () => count, add, remove, endEarly }
}

function newPolledJob(
  wait: Subscriber,
  { order, now, maxIntervalMs }: { order: number; now: number; maxIntervalMs: number },
): PolledJob {
  const { submittedAt = now, seenAt, state, attempts = [], sentRequestId: requestId } = wait.job
  return {
    ...{ wait, state, seenAt, order, attempts, requestId },
    bornAt: submittedAt,
    // A job whose state is older was not polled from its start.
    isSeenFromStart: seenAt !== undefined && now - seenAt <= maxIntervalMs,
    polledAt: seenAt ?? now,
    notBefore: now,
    polls: 0,
    uselessPolls: 0,
    failure: undefined,
    poll: undefined,
    at: Number.POSITIVE_INFINITY,
    slot: -1,
  }
}
