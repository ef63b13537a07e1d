import { type Clock, sleep } from '../clock.ts'

/** How a call of the store is repeated while the store fails. */
export interface Repeat {
  clock: Clock
  /** Wait after the first failure, in milliseconds. It doubles with each failure. */
  firstMs: number
  /** Longest wait, in milliseconds. */
  maxMs: number
  /** Called with each error. What it throws ends the repetition. */
  onError(error: unknown): void
  /** Ends the repetition. */
  signal?: AbortSignal | undefined
}

/** Repeats a call of the store until it succeeds. */
export async function untilStored<Value>(call: () => Promise<Value>, options: Repeat): Promise<Value> {
  const { clock, firstMs, maxMs, onError, signal } = options
  for (let delayMs = firstMs; ; delayMs = Math.min(maxMs, delayMs * 2)) {
    signal?.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      onError(error)
    }
    await sleep(clock, delayMs, signal)
  }
}
