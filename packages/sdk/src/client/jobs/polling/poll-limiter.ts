import { backoffMs } from '@modelrun/kit'
import type { Clock } from '../../../shared/clock.ts'
import type { PollOutcome } from './polled-jobs.ts'

/** Largest number of polls at once, of those that are not slow. */
const MAX_IN_FLIGHT = 8
/** A poll that takes longer is slow, in milliseconds: its response may never come, and the polls of other jobs continue. */
const SLOW_MS = 5_000
/** Largest number of slow polls at once. Polls wait for them only when there are more. */
const MAX_SLOW = 24
/** The pause after a 429 without `Retry-After`. It doubles each time that the first poll after it gets a 429 too. */
const PAUSE = { baseMs: 1_000, maxMs: 30_000 } as const
/** Longest pause of all polls after one 429, in milliseconds. The job of that poll waits as long as the service asks. */
const MAX_PAUSE_MS = 60_000

/**
 * Limits the polls of a client: their number at once, their rate, and none during a pause after a 429.
 *
 * @param maxPerSecond Polls in any second; `Infinity` for no limit
 */
export function createPollLimiter(clock: Clock, maxPerSecond: number) {
  const rate = createRateLimit(maxPerSecond)
  /** When each poll that is under way started, oldest first. */
  const starts: number[] = []
  let rejections = 0
  let rejectedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(startedAt: number, retryAfterMs: number | undefined): void {
    // Polls that were under way together get their 429 together: that counts once.
    if (startedAt > rejectedAt) rejections++
    rejectedAt = clock.now()
    const pauseMs = Math.min(retryAfterMs ?? backoffMs(rejections, PAUSE), MAX_PAUSE_MS)
    pausedUntil = Math.max(pausedUntil, rejectedAt + pauseMs)
  }

  /** When a place is free, if no poll ends before: as soon as enough of the oldest polls are slow. */
  function placeAt(): number {
    if (starts.length < MAX_IN_FLIGHT) return Number.NEGATIVE_INFINITY
    if (starts.length >= MAX_IN_FLIGHT + MAX_SLOW) return Number.POSITIVE_INFINITY
    return (starts[starts.length - MAX_IN_FLIGHT] ?? 0) + SLOW_MS
  }

  return {
    /** The earliest time of the next poll, in milliseconds of the clock. `Infinity` while another poll must end first. */
    nextAt: () => Math.max(placeAt(), rate.nextAt(), pausedUntil),
    /** Until when a 429 pauses all polls. */
    pausedUntil: () => pausedUntil,
    /** Starts a poll. Call the returned function with its outcome. */
    take: () => {
      const startedAt = clock.now()
      rate.take(startedAt)
      starts.push(startedAt)
      return (outcome: PollOutcome) => {
        starts.splice(starts.indexOf(startedAt), 1)
        if ('job' in outcome) rejections = 0
        else if ('failure' in outcome && outcome.failure.status === 429) pause(startedAt, outcome.failure.retryAfterMs)
      }
    },
  }
}

/**
 * Keeps the starts of requests under a rate, in any second and not only on average.
 *
 * @param perSecond Starts within a second; below 1 for one start in several seconds, `Infinity` for no limit
 */
export function createRateLimit(perSecond: number) {
  const capacity = Math.max(1, Math.floor(perSecond))
  const windowMs = Math.max(1_000, 1_000 / perSecond)
  /** The latest starts, oldest first. */
  const starts: number[] = []
  return {
    /** The earliest time of the next start. */
    nextAt: () => (starts.length < capacity ? Number.NEGATIVE_INFINITY : (starts[0] ?? 0) + windowMs),
    take: (now: number) => {
      if (capacity === Number.POSITIVE_INFINITY) return
      starts.push(now)
      if (starts.length > capacity) starts.shift()
    },
  }
}
