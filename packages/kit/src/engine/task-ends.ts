import { backoffMs, jitter } from '../clock.ts'
import { memberOf, stringIn } from '../values.ts'
import type { TaskFailure } from './engine.ts'

/** A handler throws this error when the task is not ready. The task runs again later, and the attempt does not count. */
export class RetryAfterError extends Error {
  override readonly name: string = 'RetryAfterError'
  /** Milliseconds until the task runs again. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`The task runs again in ${delayMs} ms.`)
    this.delayMs = delayMs
  }
}

/** Checks the name of the error, which is the same in every copy of this package. A delay that would never end is a failure. */
export function isRetryAfter(error: unknown): error is RetryAfterError {
  const name = memberOf(error, 'name')
  return (name === 'RetryAfterError' || name === 'PauseQueue') && Number.isFinite(memberOf(error, 'delayMs'))
}

/** A handler throws this error when no task of the queue can succeed now. All tasks wait; the attempt does not count. */
export class PauseQueue extends RetryAfterError {
  override readonly name = 'PauseQueue'
}

/** A handler throws this error when no further attempt can succeed. The task is dead: in an inbox, its job is a dead letter at once. */
export class NonRetriableError extends Error {
  override readonly name = 'NonRetriableError'
  /** Stored with the dead task, for programs. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Checks the name of the error, which is the same in every copy of this package. */
export function isNonRetriable(error: unknown): boolean {
  return memberOf(error, 'name') === 'NonRetriableError'
}

/** Abort reason of a task whose handler runs too long. Its name distinguishes it from a lost lock. */
export class RunTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(maxRunMs: number) {
    super(`The handler ran longer than ${maxRunMs} ms.`)
  }
}

export type TaskEnd =
  /** `result`: JSON; undefined when the handler returned nothing. */
  | { kind: 'done'; result: string | undefined }
  | { kind: 'dead'; error: TaskFailure }
  | { kind: 'failed'; delayMs: number }
  | { kind: 'again'; delayMs: number; pausesQueue: boolean }

/** When failed tasks run again. */
export interface RetryLimits {
  /** Number of failed attempts after which a task is dead. */
  attempts: number
  /** Wait after the first failure, in milliseconds. */
  backoffMs: number
}

const MAX_BACKOFF_MS = 300_000
const MAX_MESSAGE = 2_000

/**
 * Returns how a run ended after its handler threw. Errors are recognized by their names.
 *
 * @param attempt number of the attempt that failed, from 1
 */
export function endOfFailure(error: unknown, attempt: number, limits: RetryLimits): TaskEnd {
  if (isRetryAfter(error)) {
    return { kind: 'again', delayMs: Math.max(0, error.delayMs), pausesQueue: error.name === 'PauseQueue' }
  }
  if (isNonRetriable(error) || attempt >= limits.attempts) return { kind: 'dead', error: failureOf(error) }
  const delayMs = backoffMs(attempt, { baseMs: limits.backoffMs, maxMs: MAX_BACKOFF_MS })
  return { kind: 'failed', delayMs: jitter(delayMs, [0.5, 1]) }
}

function failureOf(error: unknown): TaskFailure {
  const message = String(memberOf(error, 'message') ?? error)
  return { code: stringIn(error, 'code') ?? 'error', message: message.slice(0, MAX_MESSAGE) }
}
