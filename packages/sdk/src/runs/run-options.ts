import type { WaitOptions } from '../jobs/job-handle.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** What is checked before a run is sent. */
export interface PreflightOptions {
  /** Refuses the run with `BudgetExceededError` when the model's price for one run is higher, in credits. */
  maxCredits?: number | undefined
  /**
   * Checks the input against the model's own `input_schema` (section 2.3) and throws `InputValidationError` with JSON
   * pointers before anything is paid. Default false.
   */
  validateInput?: boolean | undefined
}

/** Options of `client.submit`. */
export interface SubmitOptions
  extends PreflightOptions,
    Pick<WaitOptions, 'signal' | 'timeoutMs' | 'maxRetries' | 'headers' | 'fetchOptions'> {
  /** Address that receives the result by POST (section 6). */
  webhookUrl?: string | undefined
  /**
   * Receives the result by POST (section 6): an inbox of `modelrun/webhooks`. It makes the address, knows of the run
   * before it is sent, and polls for it when the delivery does not come. Instead of `webhookUrl`.
   */
  webhook?: WebhookReceiver | undefined
}

/** Options of `client.run`. */
export interface RunOptions extends PreflightOptions, WaitOptions {
  /**
   * `async`: the service responds at once, so that the job's id is known from the start and nothing can lose it.
   * `sync`: the service holds the connection for about 55 s, which gives the result of a fast model without a poll. Until
   * it responds the job has no id here: an abort or a deadline ends the call with `submission: 'unknown'` and without
   * `error.job`, while the run goes on and is charged.
   *
   * Default: `async` with a `signal`, `onStatus`, `webhook` or `webhookUrl`, with a `deadlineMs` that is too short for the
   * hold, and when `onAbort` or `onDeadline` is to cancel the job; else `sync`.
   */
  mode?: 'sync' | 'async' | undefined
  /** Address that receives the result by POST (section 6), besides the result of this call. */
  webhookUrl?: string | undefined
  /**
   * Receives the result by POST (section 6): an inbox of `modelrun/webhooks`. The call resolves by whichever comes
   * first, the delivery or a poll; the polls are slow then. Instead of `webhookUrl`.
   */
  webhook?: WebhookReceiver | undefined
}
