import type { Job } from '@modelrun/contract'

/** The receiver of a run's webhook, as the run uses it. An inbox of `modelrun/webhooks` is one. */
export interface ResultReceiver {
  /** Makes the callback URL of one run, and stores that the run is about to be sent, with the `context` of its caller. */
  prepare(run: { modelId: string; context?: unknown }): Promise<{ url: string; ref: string }>
  /** The run was accepted: its delivery is expected. */
  expect(jobId: string, run: { ref: string; modelId: string }): Promise<void>
  /** The run was not accepted: no delivery will come. */
  forget(ref: string): Promise<void>
  /** Calls back with the job in a delivery as soon as the delivery is trusted, also when it was received before. */
  listen(jobId: string, listener: (event: Job) => void): () => void
}
