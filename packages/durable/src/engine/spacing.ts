import type { Rate } from './engine.ts'

/** Share of `perMs` by which a start may be early, so that a worker that wakes late can catch up. */
const SLACK = 0.05

/**
 * How many tasks may start now, so that at most `max` start within any `perMs`.
 *
 * @param nextStart when the next task would start if all were evenly spaced, from the last call
 */
export function takeStarts(
  { max, perMs }: Rate,
  { now, nextStart, wanted }: { now: number; nextStart: number; wanted: number },
): { starts: number; nextStart: number } {
  const slackMs = perMs * SLACK
  const stepMs = (perMs + slackMs) / max
  const from = Math.max(now, nextStart)
  const possible = Math.max(0, Math.ceil((now + slackMs - from) / stepMs))
  const starts = Math.min(wanted, possible)
  return { starts, nextStart: from + starts * stepMs }
}

/** Milliseconds until a task may start again. */
export function msUntilStart({ perMs }: Rate, { now, nextStart }: { now: number; nextStart: number }): number {
  return Math.max(0, Math.ceil(nextStart - perMs * SLACK - now) + 1)
}
