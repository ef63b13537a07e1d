import { unchecked } from '../../arguments/checks.ts'
import { type Checks, readOptions } from '../../arguments/read-options.ts'
import { ConfigurationError } from '../../errors/local-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import { LeaseLostError } from '../inbox-errors.ts'
import type { DeliveryContext } from '../inbox-options.ts'
import type { Handlers } from '../resolve-inbox-options.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import type { HeldLease } from './lease.ts'

const COMPLETE_OPTIONS: Checks<NonNullable<Parameters<DeliveryContext['complete']>[0]>> = { tx: unchecked }

/** One run of a handler. */
export interface HandlerRun {
  held: HeldLease
  event: WebhookEvent
  source: 'webhook' | 'poll'
  context: unknown
}

/** How a run of a handler ended. `isCompleted`: the handler marked the job as done itself. */
export type HandlerEnd = { isCompleted: boolean } & ({ isOk: true } | { isOk: false; error: unknown })

/** Runs the handler of an event once. An event without a handler is handled. */
export async function runHandler(core: InboxCore, run: HandlerRun): Promise<HandlerEnd> {
  const { delivery, isCompleted } = createDeliveryContext(core, run)
  try {
    await dispatch(core.options.handlers, run.event, delivery)
    return { isOk: true, isCompleted: isCompleted() }
  } catch (error) {
    return { isOk: false, error, isCompleted: isCompleted() }
  }
}

function dispatch(handlers: Handlers, event: WebhookEvent, context: DeliveryContext): unknown {
  switch (event.status) {
    case 'succeeded':
      return handlers.onSucceeded?.(event, context)
    case 'failed':
      return handlers.onFailed?.(event, context)
    case 'unknown':
      return handlers.onUnknown?.(event, context)
  }
}

function createDeliveryContext(
  { store, options: { keepDoneMs } }: InboxCore,
  { held, event, source, context }: HandlerRun,
): { delivery: DeliveryContext; isCompleted: () => boolean } {
  const { lease, signal } = held
  const jobId = event.job_id
  let isCompleted = false
  const complete: DeliveryContext['complete'] = async (options = {}) => {
    const { tx } = readOptions('context.complete', options, COMPLETE_OPTIONS)
    if (tx !== undefined && !store.guarantees.transactional) {
      throw new ConfigurationError({
        message: 'The store of the inbox cannot take part in a transaction: leave `tx` out, or use the Postgres store.',
      })
    }
    if ((await store.complete(lease, { keepMs: keepDoneMs, tx })) === 'lost') {
      throw new LeaseLostError({ message: `Another worker has the job ${jobId}: undo what was done for it.`, jobId })
    }
    isCompleted = true
    // A transaction that is being committed holds the record: extending it would wait for that, and then find it done.
    held.stop()
  }
  const { attempt, fence } = lease
  const delivery = { attempt, signal, fence, idempotencyKey: jobId, source, context, complete }
  return { delivery, isCompleted: () => isCompleted }
}
