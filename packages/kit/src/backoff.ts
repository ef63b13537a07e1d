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
  return delayMs * (from + random() * (to - from))
}
