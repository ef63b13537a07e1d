import type { InboxCore } from '../inbox-core.ts'
import { intentKey, jobKey } from '../record-key.ts'
import { readStoredContext, type StoredContext, type StoredDelivery } from '../stored-delivery.ts'

/**
 * The context of a delivery: what its job was expected with. A delivery may come before that: then its reference finds
 * the intent of the run, which becomes the expectation of the job. So a job is known even when the answer to its run
 * was lost.
 */
export async function contextOf(
  core: InboxCore,
  context: StoredContext | undefined,
  { ref, event }: StoredDelivery,
): Promise<StoredContext | undefined> {
  if (context !== undefined) return context
  const key = jobKey(event.job_id)
  if (ref !== undefined) {
    const adopted = await adoptIntent(core, key, ref)
    if (adopted !== undefined) return adopted
  }
  // The event of an unknown status has a record of its own, beside that of the job.
  return event.status === 'unknown' ? readStoredContext((await core.store.get(key))?.context) : undefined
}

async function adoptIntent(
  { store, options }: InboxCore,
  key: string,
  ref: string,
): Promise<StoredContext | undefined> {
  const intent = await store.get(intentKey(ref))
  if (intent?.state !== 'expected') return undefined
  const { isIntent: _, ...context } = readStoredContext(intent.context) ?? {}
  await store.expect(key, { ref, pollInMs: options.expectedAfterMs, context })
  await store.postpone(intent.key, intent.polls, { kind: 'forget' })
  return context
}
