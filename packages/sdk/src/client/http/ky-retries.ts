import { memberOf } from '@modelrun/kit'
import type { Hooks, Options } from 'ky'
import { type Clock, startTimer } from '../../shared/clock.ts'

/** The client's rules for retries. */
export interface RetryRules {
  hold: ClockHold
  method: string
  /** How often ky sends again at most. */
  limit: number
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs(error: Error): number | undefined
  /** Waits. @throws The error of the call when it is aborted meanwhile */
  pause(delayMs: number): Promise<void>
  /** Hooks of the caller. They come after the client's wait, because a hook that returns a request ends the hooks after it. */
  beforeRetry: NonNullable<Hooks['beforeRetry']>
}

/** ky counts the retries and sends again. The client decides whether and when, on its own clock. */
export function kyRetries({
  hold,
  method,
  limit,
  delayMs,
  pause,
  beforeRetry,
}: RetryRules): Pick<Options, 'retry' | 'hooks'> {
  let pauseMs = 0
  return {
    retry: {
      limit,
      methods: [method],
      shouldRetry: ({ error }) => {
        const next = delayMs(error)
        if (next === undefined) return false
        pauseMs = next
        hold.start()
        return true
      },
      // The wait is in `beforeRetry`, because ky knows only the system's clock.
      delay: () => 0,
      // A jitter of the caller's instance would wait on the system's clock.
      jitter: false,
    },
    hooks: {
      beforeRetry: [
        async () => {
          hold.release()
          await pause(pauseMs)
        },
        ...beforeRetry,
      ],
    },
  }
}

/**
 * Holds a virtual clock, which jumps from timer to timer, with a timer that is always due. ky waits at least one turn of
 * the system's timers before a retry, and does not know the virtual clock.
 */
export interface ClockHold {
  start(): void
  release(): void
  /** Releases the clock for good: a signal of the caller's instance can end ky between two attempts. */
  end(): void
}

export function createClockHold(clock: Clock): ClockHold {
  let stop = () => {}
  let isOver = false
  const again = () => {
    stop = startTimer(clock, 0, again)
  }
  const release = () => stop()
  return {
    start: () => {
      if (!isOver) again()
    },
    release,
    end: () => {
      isOver = true
      release()
    },
  }
}

/** Thrown when ky sends again although our rules do not allow it: a hook of the caller forced the retry. */
export class ForcedRetry extends Error {}

/** True when a hook of the caller forced a retry, and the client or ky, at its limit, rejected it. */
export function isForcedRetry(error: unknown): boolean {
  return error instanceof ForcedRetry || isErrorOfKy(error, 'ForceRetryError')
}

/** By name: the caller may have another copy of ky, whose classes a bundler has renamed. */
export function isErrorOfKy(error: unknown, name: 'HTTPError' | 'ForceRetryError'): boolean {
  return memberOf(error, 'name') === name
}
