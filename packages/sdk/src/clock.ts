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
