import { type Options, replaceOption } from 'ky'
import type { Clock } from '../clock.ts'
import { holdClock } from './hold-clock.ts'

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
}

/** ky's retries: ky counts them and sends again, we say whether and when, on the client's clock. */
export function kyRetries({ clock, method, limit, delayMs, pause }: RetryRules): Pick<Options, 'retry' | 'hooks'> {
  let pauseMs = 0
  let letTimePass = () => {}
  return {
    // Replaced, not merged: a jitter of the caller's instance would run on the system's clock.
    retry: replaceOption({
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
    }),
    hooks: {
      beforeRetry: [
        async () => {
          letTimePass()
          await pause(pauseMs)
        },
      ],
    },
  }
}
