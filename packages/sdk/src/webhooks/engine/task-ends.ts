import { backoffMs, jitter } from '../../backoff.ts'

/** Thrown by a handler: the task is not ready. It runs again later, and the attempt does not count. */
export class Again extends Error {
  override readonly name: string = 'Again'
  /** Milliseconds until it runs again. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`Again in ${delayMs} ms.`)
    this.delayMs = delayMs
  }
}

/** Whether a task runs again without counting the attempt. By name, which is the same in every copy of this package. */
export function isAgain(error: unknown): error is Again {
  const { name, delayMs } = Object(error) as { name?: unknown; delayMs?: unknown }
  return (name === 'Again' || name === 'PauseQueue') && typeof delayMs === 'number'
}

/** Thrown by a handler: no task of the queue can succeed now, on no process. All wait; the attempt does not count. */
export class PauseQueue extends Again {
  override readonly name = 'PauseQueue'
}

/** Thrown by a handler: no further attempt can succeed. The task is dead. */
export class Permanent extends Error {
  override readonly name = 'Permanent'
  /** Kept with the dead task, for programs. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Why the signal of a task aborts when its handler runs too long. By its name, a handler can tell it from a lost lock. */
export class RunTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(maxRunMs: number) {
    super(`The handler ran longer than ${maxRunMs} ms.`)
  }
}

/** How a run of a task ended that did not return. */
export type TaskFailureEnd =
  | { kind: 'dead'; error: { code: string; message: string } }
  | { kind: 'failed'; delayMs: number }
  | { kind: 'again'; delayMs: number; pausesQueue: boolean }

/** When failed tasks run again, and when they do not. */
export interface RetryLimits {
  /** Failed attempts until a task is dead. */
  attempts: number
  /** Wait after the first failure, in milliseconds. */
  backoffMs: number
}

const LONGEST_BACKOFF_MS = 300_000
const LONGEST_MESSAGE = 2_000

/**
 * What becomes of a task whose handler threw. Errors are recognized by their names.
 *
 * @param attempt number of the attempt that failed, from 1
 */
export function endOfFailure(error: unknown, attempt: number, limits: RetryLimits): TaskFailureEnd {
  if (isAgain(error)) {
    return { kind: 'again', delayMs: Math.max(0, error.delayMs), pausesQueue: error.name === 'PauseQueue' }
  }
  if (Object(error).name === 'Permanent' || attempt >= limits.attempts) return { kind: 'dead', error: failureOf(error) }
  const longestMs = backoffMs(attempt, { baseMs: limits.backoffMs, maxMs: LONGEST_BACKOFF_MS })
  return { kind: 'failed', delayMs: jitter(longestMs, [0.5, 1]) }
}

function failureOf(error: unknown): { code: string; message: string } {
  const { code, message = String(error) } = Object(error) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : 'error', message: String(message).slice(0, LONGEST_MESSAGE) }
}
