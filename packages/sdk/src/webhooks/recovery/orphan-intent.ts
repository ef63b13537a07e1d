import type { InboxCore } from '../inbox-core.ts'
import { TOKEN_MEMORY_MS } from '../resolve-inbox-options.ts'
import type { DueRecord } from '../store/inbox-store.ts'
import { readStoredContext } from '../stored-delivery.ts'

/**
 * A run was prepared, and nothing was heard of it: its process may have ended between the run and the note of its job.
 * That is told once. What is known of it is kept for as long as its delivery may come, and then forgotten.
 */
export async function tellOrphan({ store, hooks }: InboxCore, record: DueRecord, ref: string): Promise<void> {
  const { isIntent = false, modelId, context } = readStoredContext(record.context) ?? {}
  const isFirst = isIntent && record.polls === 0
  const next = isFirst ? ({ kind: 'expect', pollInMs: TOKEN_MEMORY_MS } as const) : ({ kind: 'forget' } as const)
  const isTaken = await store.postpone(record.key, record.polls, next)
  if (isTaken && isFirst) hooks.tell('onOrphanIntent', { ref, modelId, context })
}
