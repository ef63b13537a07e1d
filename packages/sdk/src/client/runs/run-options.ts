import type { Job } from '@modelrun/contract'
import type { WaitOptions } from '../job-handle.ts'

/** The receiver of a run's webhook, as the run uses it. An inbox of `modelrun/webhooks` is one. */
export interface ResultReceiver {
  /** Makes the callback URL of one run, and stores that the run is about to be sent, with the `context` of its caller. */
  prepare(run: { modelId: string; context?: unknown }): Promise<{ url: string; ref: string }>
  /** The run was accepted: its delivery is expected, unless the response has its end. */
  expect(jobId: string, run: { ref: string; modelId: string; firstState?: Job | undefined }): Promise<void>
  /** The run was not accepted: no delivery will come. */
  forget(ref: string): Promise<void>
  /** Calls back with the job in a delivery as soon as the delivery is trusted, also when it was received before. */
  listen(jobId: string, listener: (event: Job) => void): () => void
}

/** The checks before a run is sent. */
export interface PreflightOptions {
  /** Largest price of one run, in credits. For a higher price the call rejects with `BudgetExceededError` and sends nothing. */
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
  /** URL that receives the result by POST (section 6). */
  webhookUrl?: string | undefined
  /**
   * An inbox of `modelrun/webhooks`, which receives the result by POST (section 6). The inbox makes the callback URL, is
   * notified before the run is sent, and polls for the result when the delivery is missing. Use it instead of `webhookUrl`.
   * What it throws loses no run, and it holds none for longer than `timeoutMs`. `client.run` resolves with the delivery or with
   * a poll, whichever is first; its polls are rare then.
   */
  webhook?: ResultReceiver | undefined
  /** Time limit of the call with its checks and retries, in milliseconds. Default: none but those of its requests. */
  deadlineMs?: number | undefined
  /**
   * JSON that the handler of the inbox gets as `context.context` with the result of this run, in whichever process: which order
   * the result is for. Stored by the inbox, and not sent to the service. Needs `webhook`.
   */
  context?: unknown
  /** @internal `signal` ends the call only until the run is on its way: its job would be lost. */
  keepSent?: boolean | undefined
}

/** Options of `client.run`. A `signal`, `onStatus`, `webhook` or `webhookUrl` makes the run asynchronous, because its job must be known. */
export interface RunOptions extends SubmitOptions, WaitOptions {
  /**
   * `async`: the service responds at once, so the job's id is known from the start and cannot be lost.
   * `sync`: the service holds the connection for about 55 s, which gives the result of a fast model without a poll. The
   * job's id is unknown until the response: an abort or a deadline ends the call with `submission: 'unknown'` and without
   * `error.job`, while the run continues and is charged.
   *
   * Default: `async` with a `signal`, `onStatus`, `webhook` or `webhookUrl`, with a `deadlineMs` that is too short for the
   * hold, and when `onAbort` or `onDeadline` is to cancel the job; else `sync`.
   */
  mode?: 'sync' | 'async' | undefined
}
