/** The client's source of time. Inject a clock to run waits and timeouts on virtual time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Never goes back. Durations are measured by it. */
  now(): number
  /**
   * The time of day, in milliseconds since the Unix epoch, which dates of others are compared with. Default: `now()`. That of the
   * system jumps when a machine wakes up or its clock is set.
   */
  wallNow?(): number
  /** Calls back once after `delayMs` milliseconds; returns a handle for `clearTimeout`. */
  setTimeout(callback: () => void, delayMs: number): unknown
  /** Cancels a timer; unknown and finished handles are ignored. */
  clearTimeout(handle: unknown): void
}

/** Longest delay of `setTimeout`, in milliseconds. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

let origin: number | undefined

/** Some runtimes have no `performance.timeOrigin`. */
function ownOrigin(): number {
  origin ??= Date.now() - performance.now()
  return origin
}

/** The time of day by a clock. */
export function wallNow(clock: Clock): number {
  return clock.wallNow?.() ?? clock.now()
}

/** The system's clock. It reads the global timer functions at each call, so that fake timers of test runners work. */
export const systemClock: Clock = {
  // Unlike Date.now(), this does not jump when the machine's clock is set.
  now: () => (Number.isFinite(performance.timeOrigin) ? performance.timeOrigin : ownOrigin()) + performance.now(),
  wallNow: () => Date.now(),
  setTimeout: (callback, delayMs) => globalThis.setTimeout(callback, delayMs),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
}

/** Starts a timer and returns a function that stops it. A delay above the maximum of 24 days never fires. */
export function startTimer(clock: Clock, delayMs: number, callback: () => void): () => void {
  if (!(delayMs <= MAX_TIMER_MS)) return () => {}
  const handle = clock.setTimeout(callback, Math.max(0, delayMs))
  return () => clock.clearTimeout(handle)
}

/** What came while a process was stopped is read within this time. */
const LATE_MS = 1_000

/** Starts the timer of a time limit. One that fires late says that the process was stopped: what came meanwhile is read first. */
export function startLimit(clock: Clock, limitMs: number, callback: () => void): () => void {
  const endsAt = clock.now() + limitMs
  let stop = startTimer(clock, limitMs, () => {
    if (clock.now() - endsAt < LATE_MS) callback()
    else stop = startTimer(clock, LATE_MS, callback)
  })
  return () => stop()
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

/** Settles like work of others. Once the signal aborts, it ends at once as `onAbort` does: neither a store nor a request is awaited. */
export async function unlessAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: (reason: unknown) => T,
): Promise<T> {
  if (signal === undefined) return await work()
  if (signal.aborted) return onAbort(signal.reason)
  return await abortable(work(), signal).catch((error) => {
    if (signal.aborted) return onAbort(signal.reason)
    throw error
  })
}

/** Calls what the caller plugged in, which may be async. `onFailure` gets what it throws, or its promise rejects with. */
export function watch(call: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const returned = call()
    const isPromise = typeof (returned as PromiseLike<unknown> | undefined)?.then === 'function'
    if (isPromise) Promise.resolve(returned).catch(onFailure)
  } catch (error) {
    onFailure(error)
  }
}

/** Waits. Rejects with the signal's reason as soon as it aborts, or has aborted. Leaves neither a timer nor a listener behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  let stopTimer = () => {}
  const elapsed = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, delayMs, resolve)
  })
  return signal === undefined ? elapsed : abortable(elapsed, signal).finally(() => stopTimer())
}

/** Settles like work of others, which may throw at once, or rejects after the time limit. Late work continues, and its error is ignored. */
export function withTimeLimit<T>(
  work: () => T,
  { clock, limitMs, name }: { clock: Clock; limitMs: number; name: string },
): Promise<Awaited<T>> {
  return new Promise((resolve, reject) => {
    const onLate = () => reject(new Error(`${name} did not respond within ${limitMs} ms.`))
    const stopTimer = startLimit(clock, limitMs, onLate)
    const working = (async (): Promise<Awaited<T>> => await work())()
    working.finally(stopTimer).then(resolve, reject)
  })
}

/** Does the work for each item, some at a time. Rejects with the first error. */
export async function eachOf<Item>(
  items: Iterable<Item>,
  most: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // The workers share one iterator: each item is taken once.
  const left = [...items].values()
  const takeRest = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: most }, takeRest))
}

/** Limits of an exponential backoff, in milliseconds. */
export interface BackoffLimits {
  /** Delay after the first attempt. */
  baseMs: number
  maxMs: number
  /** Factor from one delay to the next. Default 2. */
  growth?: number
}

/**
 * Exponential backoff without jitter: `baseMs` after the first attempt, `growth` times as long after each further one, at most `maxMs`.
 *
 * @param attempt Number of attempts so far, from 1
 */
export function backoffMs(attempt: number, { baseMs, maxMs, growth = 2 }: BackoffLimits): number {
  return Math.min(maxMs, baseMs * growth ** (attempt - 1))
}

/**
 * A random part of a delay, so that clients that failed together do not retry together.
 *
 * @param share The smallest and the largest part: `[0, 1]` for full jitter, `[0.5, 1]` for the upper half
 * @param random Gives a number from 0 up to 1
 */
export function jitter(
  delayMs: number,
  [from, to]: readonly [from: number, to: number],
  random: () => number = Math.random,
): number {
  let drawn = 0
  try {
    // A delay that is not a number would never end.
    drawn = random() || 0
  } catch {} // a function of the user, which must not end a wait
  return delayMs * (from + Math.min(Math.max(drawn, 0), 1) * (to - from))
}

/** How a call of the store is repeated while the store fails. */
export interface Repeat {
  clock: Clock
  /** Wait after the first failure, in milliseconds. It doubles with each failure. */
  firstMs: number
  maxMs: number
  /** Called with each error. What it throws ends the repetition. */
  onError(error: unknown): void
  signal?: AbortSignal | undefined
}

export async function untilStored<Value>(call: () => Promise<Value>, options: Repeat): Promise<Value> {
  const { clock, firstMs, maxMs, onError, signal } = options
  for (let delayMs = firstMs; ; delayMs = Math.min(maxMs, delayMs * 2)) {
    signal?.throwIfAborted()
    try {
      return await (signal === undefined ? call() : abortable(call(), signal))
    } catch (error) {
      signal?.throwIfAborted()
      onError(error)
    }
    await sleep(clock, delayMs, signal)
  }
}
