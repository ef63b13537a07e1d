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

/** When tasks start. */
interface Starts {
  now: number
  /** When the next task would start if all were evenly spaced. */
  nextStart: number
}

/** Returns the spacing with which at most `max` tasks start within any `perMs`. */
export function spacingOf({ max, perMs }: Rate): Spacing {
  const slackMs = perMs * SLACK
  return { slackMs, stepMs: (perMs + slackMs) / max }
}

/** Returns `nextStart` after a task has started. */
export function startAfter({ stepMs }: Spacing, { now, nextStart }: Starts): number {
  return Math.max(now, nextStart) + stepMs
}

/** Returns the milliseconds until a task may start; 0 when one may start now. */
export function msUntilStart({ slackMs }: Spacing, { now, nextStart }: Starts): number {
  return nextStart - slackMs < now ? 0 : Math.ceil(nextStart - slackMs - now) + 1
}
