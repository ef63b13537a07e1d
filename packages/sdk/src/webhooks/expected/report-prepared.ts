import type { Json, Task } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import { readStoredContext } from '../delivery/stored-delivery.ts'

/** Notifies the user of a run that was prepared, and whose job is still not known. A task of the queue `prepared`. */
export async function reportPrepared({ queues, hooks }: InboxCore, task: Task): Promise<Json | undefined> {
  const { isPrepared, modelId, context } = readStoredContext(task.data) ?? {}
  const isKnown = (await queues.bindings.get(task.id)) !== undefined
  if (isPrepared && !isKnown) hooks.notify('onUnconfirmedRun', { ref: task.id, modelId, context })
  return undefined
}
