import type { Output } from '@modelrun/contract'

/** The result of a run, from a response, a poll or a webhook. Plain data. */
export interface RunResult {
  /** Identifier of the job. */
  job_id: string
  /** Identifier of the request at the underlying provider; absent when only the job's id was known. */
  request_id?: string | undefined
  /** Absent when only the job's id was known. */
  model_id?: string | undefined
  /** `completed` and `succeeded` of the service are one outcome, `succeeded`. */
  status: 'succeeded'
  /** The produced files (section 2.5). */
  output: Output
  /**
   * Credits charged, when the service gave them: in the response to a held run and in webhook deliveries (section 2.4). A
   * polled job has none.
   */
  credits_used?: number | undefined
  /**
   * The price of one run of the model, in credits (section 2.1): the list price, not a receipt. Present when it was
   * read for `maxCredits` or `validateInput`. Nothing is requested for it.
   */
  credits_per_run?: number | undefined
  /** Processing time in milliseconds, when the service gave it. */
  duration_ms?: number | undefined
}
