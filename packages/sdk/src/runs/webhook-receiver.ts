import type { Job } from '@modelrun/contract'

/** What a run needs of whoever receives its webhook. An inbox of `modelrun/webhooks` has it. */
export interface WebhookReceiver {
  /** Makes the callback address of one run, and notes that the run is about to be sent. */
  prepare(run: { modelId: string }): Promise<{ url: string; ref: string }>
  /** The run was accepted: its delivery is to come. */
  expect(jobId: string, run: { ref: string; modelId: string }): Promise<void>
  /** The run was not accepted: no delivery will come. */
  forget(ref: string): Promise<void>
  /** Calls back with what a delivery says of the job, as soon as it is believed; also when it came before. */
  listen(jobId: string, listener: (event: Job) => void): () => void
}
