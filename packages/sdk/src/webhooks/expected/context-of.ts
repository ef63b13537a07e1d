import type { InboxCore } from '../inbox-core.ts'
import { jobKey } from '../delivery/record-key.ts'
import { readStoredContext, type StoredContext, type StoredDelivery } from '../delivery/stored-delivery.ts'

/**
 * What is known of the job of a delivery: what it was expected with, or what its run was prepared with. A delivery can
 * come before the response to its run; then the reference in its callback URL finds the run.
 */
export async function contextOf({ queues }: InboxCore, delivery: StoredDelivery): Promise<StoredContext | undefined> {
  const { ref, event } = delivery
  const expected = await queues.expected.get(jobKey(event.job_id))
  const prepared = expected === undefined && ref !== undefined ? await queues.prepared.get(ref) : undefined
  return readStoredContext((expected ?? prepared)?.data)
}

/**
 * Binds the callback URL of a delivery to its job. Called when the job is confirmed, so that an invented one binds nothing.
 *
 * @returns false when the URL belongs to another job
 */
export async function bindToJob({ queues }: InboxCore, ref: string, jobId: string): Promise<boolean> {
  const key = jobKey(jobId)
  await queues.bindings.add(ref, { key })
  return Object((await queues.bindings.get(ref))?.data).key === key
}
