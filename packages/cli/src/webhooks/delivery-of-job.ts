import type { ModelRun } from 'modelrun'
import type { DeliveryBody } from 'modelrun/webhooks/testing'

/**
 * Waits for the end of a job, and gives the delivery that the service posts for it (section 6). `undefined` for a cancelled
 * job, which has none.
 *
 * @param credits the price of the run, when it is known: a job need not say what was charged
 */
export async function deliveryOfJob(
  client: ModelRun,
  jobId: string,
  { credits, signal }: { credits: number | undefined; signal: AbortSignal },
): Promise<DeliveryBody | undefined> {
  const { JobCancelledError, JobFailedError } = await import('modelrun')
  try {
    const { output, credits_used } = await client.jobs
      .attach(jobId)
      .result({ signal, deadlineMs: Number.POSITIVE_INFINITY })
    const charged = credits_used ?? credits ?? 0
    const completed_at = new Date().toISOString()
    return { job_id: jobId, status: 'succeeded', output, credits_used: charged, completed_at }
  } catch (error) {
    if (error instanceof JobCancelledError) return undefined
    if (!(error instanceof JobFailedError)) throw error
    const unnamed = { code: 'PROVIDER_FAILURE', message: 'The service gave no reason.' }
    return { job_id: jobId, status: 'failed', error: error.job.error ?? unnamed }
  }
}
