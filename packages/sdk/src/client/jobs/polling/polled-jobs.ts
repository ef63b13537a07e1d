import type { Job } from '@modelrun/contract'
import { type Attempt, createHeap, type HeapItem, type ModelRunError } from '@modelrun/kit'
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

/** The state of a job after its last poll. */
export interface LastSeen {
  state: Job | undefined
  /** Why the last poll failed, if it did. */
  failure: ModelRunError | undefined
  /** The request that started the job, where it is known, and the last polls. */
  attempts: readonly Attempt[]
  requestId: string | undefined
}

/** A wait for a job, as its caller wants it. */
export interface Subscriber {
  readonly job: JobReference
  readonly options: CallOptions
  /** When it ends, in milliseconds of the client's clock, `Infinity` for never. */
  readonly endsAt: number
  /** True when the first poll is due at once. */
  readonly isEager: boolean
  /** True when each state is wanted, and not only the end. */
  readonly wantsStates: boolean
  /** True when a webhook is expected to deliver the end. */
  readonly hasWebhook: boolean
  /** Does work in the async context of the caller that waits: a timer, which serves many waits, has that of one of them. */
  readonly within: <T>(work: () => T) => T
  /** Called with each new state of the job: callers get copies. `isEnd` is true for the final state. Must not throw. */
  onState(job: Job, isEnd: boolean, seen: LastSeen): void
  /** Called when further polls are useless, for instance because the job does not exist. */
  onError(error: unknown): void
  /** Called when the signal aborted or the deadline passed. `held`: why it was not polled although that was due, for the message. */
  onEarlyEnd(end: EarlyEnd, seen: LastSeen, held: string): void
}

/**
 * The polls of a wait. `at` is the time of the next one. Waits have no timers of their own, so that ten thousand stay small.
 */
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
  polls: number
  /** How many polls in a row had no state that can be read, or a success without output. */
  uselessPolls: number
  /** Aborts the poll that is under way. */
  poll: AbortController | undefined
  /** Ends what the wait listens to. Undefined once the wait is over. */
  release: (() => void) | undefined
}

/** @param onEmpty called when the last wait has ended */
export function createPolledJobs({ clock, polling }: ResolvedOptions, onEmpty: () => void) {
  /** The waits by the time of their next poll. One whose poll is under way is not in the heap. */
  const nextPolls = createHeap<PolledJob>()
  const deadlines = createHeap<HeapItem & { polled: PolledJob }>()
  let count = 0
  let order = 0

  function add(wait: Subscriber): PolledJob {
    const now = clock.now()
    const { submittedAt = now, seenAt, state, attempts = [], sentRequestId: requestId } = wait.job
    const { signal } = wait.options
    const polled: PolledJob = {
      ...{ wait, state, seenAt, attempts, requestId },
      ...{ at: Number.POSITIVE_INFINITY, order: order++, slot: -1 },
      bornAt: submittedAt,
      // A job whose state is older was not polled from its start.
      isSeenFromStart: seenAt !== undefined && now - seenAt <= polling.maxIntervalMs,
      polledAt: seenAt ?? now,
      notBefore: now,
      polls: 0,
      uselessPolls: 0,
      failure: undefined,
      poll: undefined,
      release: () => {
        deadlines.remove(deadline)
        signal?.removeEventListener('abort', onAbort)
      },
    }
    const deadline = { polled, at: wait.endsAt, order: order++, slot: -1 }
    const onAbort = () => endEarly(polled, 'aborted')
    if (deadline.at < Number.POSITIVE_INFINITY) deadlines.put(deadline)
    signal?.addEventListener('abort', onAbort, { once: true })
    count++
    return polled
  }

  /** Removes a wait. False when it had ended before. */
  function remove(polled: PolledJob): boolean {
    if (!polled.release) return false
    polled.release()
    polled.release = undefined
    nextPolls.remove(polled)
    polled.poll?.abort()
    count--
    if (count === 0) onEmpty()
    return true
  }

  /** Removes a wait and calls its `onEarlyEnd`. */
  function endEarly(polled: PolledJob, end: EarlyEnd, held = ''): void {
    if (remove(polled)) polled.wait.onEarlyEnd(end, polled, held)
  }

  return { nextPolls, deadlines, count: () => count, add, remove, endEarly }
}
