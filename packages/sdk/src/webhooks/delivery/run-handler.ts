import type { Task } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { DeliveryContext } from '../inbox-options.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** What a handler gets beyond the event and its task. */
export interface HandlerCall {
  task: Task
  source: DeliveryContext['source']
  context: unknown
  signal: AbortSignal
}

/** Runs the user's handler for an event. */
export async function runHandler({ options }: InboxCore, event: WebhookEvent, call: HandlerCall): Promise<void> {
  const { onSucceeded, onFailed, onUnknown } = options.handlers
  const { task, ...rest } = call
  // A process that died during the handler used up an attempt of its own.
  const context: DeliveryContext = {
    ...rest,
    attempt: task.attempt + task.lost,
    fence: task.fence,
    idempotencyKey: task.id,
  }
  if (event.status === 'succeeded') await onSucceeded?.(event, context)
  else if (event.status === 'failed') await onFailed?.(event, context)
  else await onUnknown?.(event, context)
}
