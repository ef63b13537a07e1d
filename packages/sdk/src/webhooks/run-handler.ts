import { startTimer, systemClock } from '../clock.ts'
import { confirmEvent } from './confirm-event.ts'
import type { HandlerFailure, InboxOptions } from './inbox-options.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** How often and when something that throws is tried again: after 1 s, 2 s, 4 s, … with full jitter, 8 times in all. */
const RERUN = { maxAttempts: 8, baseMs: 1_000 } as const

/** What came of a delivery. */
export interface HandlerOutcome {
  /** The confirmed event; undefined when the service did not confirm the delivery. */
  event: WebhookEvent | undefined
  /** True when the handler succeeded. */
  isHandled: boolean
}

/** Confirms a delivery, then runs its handler until it succeeds or has failed too often. Never rejects. */
export async function runHandler(delivered: WebhookEvent, options: InboxOptions): Promise<HandlerOutcome> {
  const confirmed = await withReruns(delivered, options, () => confirmEvent(delivered, options.client))
  if (confirmed === undefined) return { event: undefined, isHandled: false }
  const event = confirmed.value
  const handled = await withReruns(event, options, (attempt) => dispatch(event, attempt, options))
  return { event, isHandled: handled !== undefined }
}

async function withReruns<T>(
  event: WebhookEvent,
  options: InboxOptions,
  work: (attempt: number) => T,
): Promise<{ value: Awaited<T> } | undefined> {
  const { clock = systemClock, random = Math.random } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return { value: await work(attempt) }
    } catch (error) {
      const isLast = attempt >= RERUN.maxAttempts
      const retryInMs = isLast ? undefined : random() * RERUN.baseMs * 2 ** (attempt - 1)
      await tell(options, { event, attempt, error, retryInMs })
      if (retryInMs === undefined) return undefined
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

/** A report that cannot be made must not cost the re-run. */
async function tell({ onHandlerError = logFailure }: InboxOptions, failure: HandlerFailure): Promise<void> {
  try {
    await onHandlerError(failure)
  } catch (error) {
    logFailure(failure)
    console.error('modelrun: `onHandlerError` failed too:', error)
  }
}

function logFailure({ event, attempt, error, retryInMs }: HandlerFailure): void {
  const next = retryInMs === undefined ? 'it is not tried again' : `next try in ${Math.round(retryInMs)} ms`
  console.error(`modelrun: the webhook of the job ${event.job_id} was not handled (try ${attempt}; ${next}):`, error)
}
