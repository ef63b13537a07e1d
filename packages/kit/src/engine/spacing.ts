import type { Rate } from './engine.ts'

/** Share of `perMs` by which a start may be early, so that a worker whose timer was late can catch up. */
const SLACK = 0.05

/** Evenly spaced starts of a rate limit. */
export interface Spacing {
  /** How much a start may be early. */
  slackMs: number
  /** Time between two starts. */
  stepMs: number
}

/** Returns the spacing with which at most `max` tasks start within any `perMs`. */
export function spacingOf({ max, perMs }: Rate): Spacing {
  const slackMs = perMs * SLACK
  return { slackMs, stepMs: (perMs + slackMs) / max }
}

/**
 * Returns how many tasks may start now.
 *
 * @param nextStart result of the last call: when the next task would start if all were evenly spaced
 */
export function takeStarts(
  { slackMs, stepMs }: Spacing,
  { now, nextStart, wanted }: { now: number; nextStart: number; wanted: number },
): { starts: number; nextStart: number } {
  const from = Math.max(now, nextStart)
  const possible = Math.max(0, Math.ceil((now + slackMs - from) / stepMs))
  const starts = Math.min(wanted, possible)
  return { starts, nextStart: from + starts * stepMs }
}

/** Returns the milliseconds until a task may start; 0 when one may start now. */
export function msUntilStart({ slackMs }: Spacing, { now, nextStart }: { now: number; nextStart: number }): number {
  return nextStart - slackMs < now ? 0 : Math.ceil(nextStart - slackMs - now) + 1
}
