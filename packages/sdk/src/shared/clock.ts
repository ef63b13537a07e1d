/** The client's source of time. Inject a clock to run waits and timeouts on virtual time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Never goes back. */
  now(): number
  /** Calls back once after `delayMs` milliseconds; returns a handle for `clearTimeout`. */
  setTimeout(callback: () => void, delayMs: number): unknown
  /** Cancels a timer; unknown and finished handles are ignored. */
  clearTimeout(handle: unknown): void
}

/** Longest delay of `setTimeout`, in milliseconds. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The system's clock. It reads the global timer functions at each call, so that fake timers of test runners work. */
export const systemClock: Clock = {
  // Unlike Date.now(), this does not jump when the machine's clock is set.
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
}

/** Starts a timer and returns a function that stops it. A delay above the maximum of 24 days never fires. */
export function startTimer(clock: Clock, delayMs: number, callback: () => void): () => void {
  if (!(delayMs <= MAX_TIMER_MS)) return () => {}
  const handle = clock.setTimeout(callback, Math.max(0, delayMs))
  return () => clock.clearTimeout(handle)
}

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

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts, whatever `work` does then. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    const settle = <V>(end: (value: V) => void) => {
      return (value: V) => {
        signal.removeEventListener('abort', stop)
        end(value)
      }
    }
    // Not `finally`, which makes three promises more.
    work.then(settle(resolve), settle(reject))
  })
}

/** Waits. Rejects with the signal's reason as soon as it aborts. Leaves neither a timer nor a listener behind. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let stopTimer = () => {}
  const elapsed = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, delayMs, resolve)
  })
  return abortable(elapsed, signal).finally(() => stopTimer())
}

/** Members that end when their signal aborts. Each signal has one listener, however many members share it. */
export interface AbortGroups<M> {
  add(signal: AbortSignal, member: M): void
  /** Removes a member. The last member of a signal removes the listener. */
  remove(signal: AbortSignal, member: M): void
}

/** @param onAbort Called with the members of a signal that aborted, in the order in which they were added */
export function createAbortGroups<M>(onAbort: (members: readonly M[]) => void): AbortGroups<M> {
  const groups = new Map<AbortSignal, { members: Set<M>; listener: () => void }>()

  function open(signal: AbortSignal): { members: Set<M>; listener: () => void } {
    const members = new Set<M>()
    const listener = () => {
      groups.delete(signal)
      onAbort([...members])
    }
    signal.addEventListener('abort', listener, { once: true })
    const group = { members, listener }
    groups.set(signal, group)
    return group
  }

  return {
    add: (signal, member) => {
      const { members } = groups.get(signal) ?? open(signal)
      members.add(member)
    },
    remove: (signal, member) => {
      const group = groups.get(signal)
      group?.members.delete(member)
      if (group?.members.size !== 0) return
      signal.removeEventListener('abort', group.listener)
      groups.delete(signal)
    },
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
  const stopTimer = startTimer(clock, deadlineMs, () => controller.abort(DEADLINE))
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

/** A clock whose timers do not keep the process alive, in runtimes that support this (`unref`). */
export function toBackgroundClock(clock: Clock): Clock {
  return {
    now: () => clock.now(),
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
