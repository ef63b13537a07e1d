import type { Job } from '@modelrun/contract'
import type { ModelRunError } from '../../errors/model-run-error.ts'
import type { CallOptions } from '../../http/operation.ts'
import { listHeaders } from '../../http/request-headers.ts'
import type { WaitSpan } from '../../observe/wait-span.ts'
import type { JobReference } from '../job-reference.ts'
import type { HeapItem } from './heap.ts'

/** Why a wait ended before its job did. */
export type EarlyEnd = 'aborted' | 'deadline'

/**
 * Somebody who waits for a job. Objects of one class are lean: ten thousand waits have no closures, timers or listeners
 * of their own. `at` is the deadline in milliseconds of the client's clock, `Infinity` for none.
 */
export interface Subscriber extends HeapItem {
  readonly job: JobReference
  readonly options: CallOptions
  /** Wants the first look at once. */
  readonly isEager: boolean
  /** Wants each state, and not only the end. */
  readonly wantsStates: boolean
  /** A webhook is to bring the end. */
  readonly hasWebhook: boolean
  /** Undefined without a tracer. */
  readonly span: WaitSpan | undefined
  /** The watch that it is part of, while it is. Only the scheduler writes it. */
  polled: PolledJob | undefined
  /** Told each new state of the job; `isEnd` with the final one. Must not throw. */
  onState(job: Job, isEnd: boolean): void
  /** Told that further looks at the job have no use, for instance because there is no such job. */
  onError(error: unknown): void
  /** Told that its signal aborted or its deadline passed. */
  onEarlyEnd(end: EarlyEnd, seen: LastSeen): void
}

/** What was last seen of a job. */
export interface LastSeen {
  /** The state that the last successful look brought. */
  state: Job | undefined
  /** Why the last look failed, when it did. */
  failure: ModelRunError | undefined
}

/** A job that is polled, for everybody who waits for it. `at` is the time of the next look. */
export interface PolledJob extends HeapItem, LastSeen {
  readonly key: string
  readonly job: JobReference
  readonly options: CallOptions
  readonly subscribers: Subscriber[]
  /** Since when its age counts. */
  readonly bornAt: number
  /** True when the service was asked about the job from its submission on: only then its duration is known. */
  readonly isSeenFromStart: boolean
  /** When its state was last told. */
  seenAt: number | undefined
  /** When the last look ended, whatever it brought. */
  polledAt: number
  /** The service asked not to be asked sooner. */
  notBefore: number
  polls: number
  /** Ends the look that is under way. */
  poll: AbortController | undefined
}

/** Waits for one job share its looks, unless they ask for calls of another kind. */
export function pollKey(
  { jobId }: JobReference,
  { headers, timeoutMs, fetchOptions }: CallOptions,
  idOf: (options: object) => number,
): string {
  if (headers === undefined && timeoutMs === undefined && fetchOptions === undefined) return jobId
  return JSON.stringify([jobId, timeoutMs, headers && listHeaders(headers), fetchOptions && idOf(fetchOptions)])
}
