import { type Attempt, type Clock, defined, ModelRunError, startLimit, wallNow } from '@modelrun/kit'

export { abortable, type Clock, sleep, startLimit, startTimer, systemClock, wallNow } from '@modelrun/kit'

/**
 * An abort controller that aborts with another signal. Instead of `AbortSignal.any`, which stays reachable from a long-lived source
 * signal in several runtimes. Here nothing is left on the source after `release()`.
 */
export function linkController(source: AbortSignal | undefined) {
  const controller = new AbortController()
  const forward = () => controller.abort(source?.reason)
  if (source?.aborted) forward()
  else source?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    abort: (reason: unknown) => controller.abort(reason),
    release: () => source?.removeEventListener('abort', forward),
  }
}

/** Marks an abort by the deadline, as opposed to an abort by the caller. */
export const DEADLINE = /* @__PURE__ */ Symbol('deadline')

/** The HTTP requests that led to a result or an error. */
export interface SentRequests {
  readonly attempts: readonly Attempt[]
  /** The service's id of the last one. */
  readonly requestId: string | undefined
}

/** The time limit, the signal and the requests of one call of the user, for its submission, hold, polls and retries. */
export type Scope = ReturnType<typeof openScope>

export interface ScopeOptions {
  clock: Clock
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  /** The requests before, of which this is a part. */
  sent?: SentRequests | undefined
}

const NONE: SentRequests = { attempts: [], requestId: undefined }

export function openScope({ clock, signal, deadlineMs = Number.POSITIVE_INFINITY, sent = NONE }: ScopeOptions) {
  const controller = linkController(signal)
  const endsAt = clock.now() + deadlineMs
  const stopTimer = startLimit(clock, deadlineMs, () => controller.abort(DEADLINE))
  return {
    /** Aborts when the caller's signal does, or when the deadline passes (reason: {@link DEADLINE}). */
    signal: controller.signal,
    /** In milliseconds; `Infinity` for none. */
    deadlineMs,
    /** The requests so far. */
    sent,
    /** Milliseconds left, never negative; `Infinity` without a deadline. */
    remainingMs: () => Math.max(0, endsAt - clock.now()),
    /** Stops the timer and removes the listener from the caller's signal. */
    close: () => {
      stopTimer()
      controller.release()
    },
  }
}

export function recordAttempt(scope: Scope, attempt: Attempt, requestId: string | undefined): void {
  scope.sent = { attempts: [...scope.sent.attempts, attempt], requestId }
}

/** Does work that ends with the signal of the caller, or at the deadline. Its error names the requests before it. */
export async function withinScope<T>(options: ScopeOptions, work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = openScope(options)
  try {
    return await work(scope)
  } catch (error) {
    throw withRequests(error, scope.sent)
  } finally {
    scope.close()
  }
}

/** An error with the requests that led to it, unless it has its own. */
export function withRequests(error: unknown, { attempts, requestId }: SentRequests): unknown {
  const isWithout = error instanceof ModelRunError && error.attempts.length < attempts.length
  return isWithout ? Object.assign(error, defined({ attempts, requestId })) : error
}

/** A clock whose timers do not keep the process alive, in runtimes that support this (`unref`). */
export function toBackgroundClock(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wallNow: () => wallNow(clock),
    setTimeout: (callback, delayMs) => {
      const handle = clock.setTimeout(callback, delayMs)
      // Browsers have numbers.
      ;(handle as { unref?(): unknown } | undefined)?.unref?.()
      return handle
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  }
}
