import { startTimer, systemClock } from '../clock.ts'
import { confirmEvent } from './confirm-event.ts'
import type { InboxOptions } from './inbox-options.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** How often and when a handler that throws runs again: 1 s, 2 s, 4 s, … with full jitter, 8 runs in all. */
const RERUN = { maxAttempts: 8, baseMs: 1_000, maxMs: 300_000 } as const

/**
 * Confirms an event and runs its handler until it succeeds or has failed too often. Never rejects.
 *
 * @returns The event that the handler saw, or the delivered one when none did
 */
export async function runHandler(delivered: WebhookEvent, options: InboxOptions): Promise<WebhookEvent> {
  const { clock = systemClock, random = Math.random, onHandlerError = logFailure } = options
  for (let attempt = 1; ; attempt++) {
    let event = delivered
    try {
      event = await confirmEvent(delivered, options.client)
      await dispatch(event, attempt, options)
      return event
    } catch (error) {
      const isLast = attempt >= RERUN.maxAttempts
      const retryInMs = isLast ? undefined : random() * Math.min(RERUN.maxMs, RERUN.baseMs * 2 ** (attempt - 1))
      onHandlerError({ event, attempt, error, retryInMs })
      if (retryInMs === undefined) return event
      await new Promise<void>((resolve) => startTimer(clock, retryInMs, resolve))
    }
  }
}

function dispatch(event: WebhookEvent, attempt: number, options: InboxOptions): unknown {
  switch (event.status) {
    case 'succeeded':
      return options.onSucceeded?.(event, { attempt })
    case 'failed':
      return options.onFailed?.(event, { attempt })
    case 'unknown':
      return options.onUnknown?.(event, { attempt })
  }
}

function logFailure({
  event,
  attempt,
  error,
  retryInMs,
}: Parameters<NonNullable<InboxOptions['onHandlerError']>>[0]): void {
  const next = retryInMs === undefined ? 'it is not run again' : `next run in ${Math.round(retryInMs)} ms`
  console.error(`modelrun: the webhook handler failed for the job ${event.job_id} (run ${attempt}; ${next}):`, error)
}
