import { type Hooks, isForceRetryError, type Options } from 'ky'
import { type Clock, startTimer } from '../clock.ts'

/** Our reasons for a retry. */
export interface RetryRules {
  clock: Clock
  method: string
  /** How often ky sends again at most. */
  limit: number
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs(error: Error): number | undefined
  /** Waits, or throws what the call is to fail with. */
  pause(delayMs: number): Promise<void>
  /** Hooks of the caller. They come after our wait, since one that returns a request ends the hooks after it. */
  beforeRetry: NonNullable<Hooks['beforeRetry']>
}

/** ky's retries: ky counts them and sends again, we say whether and when, on the client's clock. */
export function kyRetries({
  clock,
  method,
  limit,
  delayMs,
  pause,
  beforeRetry,
}: RetryRules): Pick<Options, 'retry' | 'hooks'> {
  let pauseMs = 0
  let letTimePass = () => {}
  return {
    retry: {
      limit,
      methods: [method],
      shouldRetry: ({ error }) => {
        const next = delayMs(error)
        if (next === undefined) return false
        pauseMs = next
        letTimePass = holdClock(clock)
        return true
      },
      // The wait is in `beforeRetry`: ky knows no clock but the system's.
      delay: () => 0,
      // One of the caller's instance would wait on the system's clock.
      jitter: false,
    },
    hooks: {
      beforeRetry: [
        async () => {
          letTimePass()
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
 *
 * @returns A function that releases the clock
 */
function holdClock(clock: Clock): () => void {
  let stop = () => {}
  const again = () => {
    stop = startTimer(clock, 0, again)
  }
  again()
  return () => stop()
}

/** Thrown when ky sends again although our rules do not allow it: a hook of the caller forced the retry. */
export class ForcedRetry extends Error {}

/** True when a hook of the caller forced a retry, and the client or ky, at its limit, rejected it. */
export function isForcedRetry(error: unknown): boolean {
  return error instanceof ForcedRetry || isForceRetryError(error)
}
