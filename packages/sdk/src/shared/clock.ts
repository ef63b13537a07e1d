import { type Clock, startLimit, wallNow } from '@modelrun/kit'

export { abortable, type Clock, sleep, startLimit, startTimer, systemClock, wallNow } from '@modelrun/kit'

/** An abort controller that aborts with another signal, until it is released. */
export interface LinkedController {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Removes the listener from the other signal. */
  release(): void
}

/**
 * Instead of `AbortSignal.any`, which stays reachable from a long-lived source signal in several runtimes. Here nothing
 * is left on the source after `release()`.
 */
export function linkController(source: AbortSignal | undefined): LinkedController {
  const controller = new AbortController()
  const forward = () => controller.abort(source?.reason)
  if (source?.aborted) forward()
  else source?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => source?.removeEventListener('abort', forward),
  }
}

/** Marks an abort by the deadline, as opposed to an abort by the caller. */
export const DEADLINE = /* @__PURE__ */ Symbol('deadline')

/** The time limit and the signal of one call of the user, for its submission, hold, polls and retries. */
export interface Scope {
  /** Aborts when the caller's signal does, or when the deadline passes (reason: {@link DEADLINE}). */
  readonly signal: AbortSignal
  /** The time limit, in milliseconds; `Infinity` for none. */
  readonly deadlineMs: number
  /** Milliseconds left, never negative; `Infinity` without a deadline. */
  remainingMs(): number
  /** Stops the timer and removes the listener from the caller's signal. */
  close(): void
}

/** Options of {@link openScope}. */
export interface ScopeOptions {
  clock: Clock
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
}

export function openScope({ clock, signal, deadlineMs = Number.POSITIVE_INFINITY }: ScopeOptions): Scope {
  const controller = linkController(signal)
  const endsAt = clock.now() + deadlineMs
  const stopTimer = startLimit(clock, deadlineMs, () => controller.abort(DEADLINE))
  return {
    signal: controller.signal,
    deadlineMs,
    remainingMs: () => Math.max(0, endsAt - clock.now()),
    close: () => {
      stopTimer()
      controller.release()
    },
  }
}

/** Does work that ends with the signal of the caller, or at the deadline. */
export async function withinScope<T>(options: ScopeOptions, work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = openScope(options)
  try {
    return await work(scope)
  } finally {
    scope.close()
  }
}

/** A clock whose timers do not keep the process alive, in runtimes that support this (`unref`). */
export function toBackgroundClock(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wallNow: () => wallNow(clock),
    setTimeout: (callback, delayMs) => {
      const handle = clock.setTimeout(callback, delayMs)
      if (hasUnref(handle)) handle.unref()
      return handle
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  }
}

function hasUnref(handle: unknown): handle is { unref(): unknown } {
  return typeof handle === 'object' && handle !== null && 'unref' in handle && typeof handle.unref === 'function'
}
