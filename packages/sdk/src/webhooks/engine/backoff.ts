/** How waits between attempts grow. */
export interface Backoff {
  /** Wait after the first attempt, in milliseconds. */
  firstMs: number
  /** Longest wait, in milliseconds. */
  maxMs: number
  /** Factor from one wait to the next. Default 2. */
  growth?: number | undefined
}

/**
 * Exponential backoff without jitter.
 *
 * @param attempt number of the attempt that has just ended, from 1
 * @returns milliseconds until the next attempt
 */
export function backoffMs(attempt: number, { firstMs, maxMs, growth = 2 }: Backoff): number {
  return Math.min(maxMs, firstMs * growth ** (attempt - 1))
}
