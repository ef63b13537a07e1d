import { memberOf, stringIn } from '@modelrun/kit'
import { createInbox, type Inbox, RetryAfterError, type WebhookEvent } from 'modelrun/webhooks'
import { leaveUnknown } from './poll-run.ts'
import { isDeleted } from './read-runs.ts'
import { outcomeOf } from './run-types.ts'
import { guardedBy, type RunsContext, storeOutcome } from './runs-context.ts'

/** Wait between two checks of a submit that is running. */
const SUBMIT_DELAY_MS = 500

/** How a batch receives its results by webhook. */
export interface RunsWebhooks {
  /** URL at which the service reaches `runs.inbox`. */
  publicUrl: string
  /** Signs the callback URLs: at least 32 bytes, or several secrets by id. All processes of the batch need the same. */
  secret: string | Readonly<Record<string, string>>
  /** Allows http callback URLs on any host, in a network of your own. Default `false`. */
  allowHttp?: boolean | undefined
}

/**
 * Creates the inbox of a batch. Its deliveries end runs, including runs whose submit got no response: the callback URL names
 * the run.
 */
export function createRunInbox(context: RunsContext, { publicUrl, secret, allowHttp }: RunsWebhooks): Inbox {
  const { engine, client, queues } = context
  const keep = (event: WebhookEvent, { context: note }: { context: unknown }) => storeDelivered(context, event, note)
  return createInbox({
    engine,
    client,
    name: queues.inbox,
    publicUrl,
    secret,
    allowHttp,
    onSucceeded: keep,
    onFailed: keep,
    onUnknown: keep,
  })
}

async function storeDelivered(context: RunsContext, event: WebhookEvent, note: unknown): Promise<void> {
  const { engine, queues } = context
  const key = stringIn(note, 'key')
  const job = event.status === 'unknown' ? { status: event.reported_status ?? event.status } : event
  const outcome = outcomeOf(event.job_id, job)
  if (key === undefined || outcome === undefined) return
  const submit = await engine.get(queues.submit, key)
  // The run was deleted, and its key may have been added again. 0.1.0 did not name the time.
  const addedAt = memberOf(note, 'addedAt') ?? submit?.addedAt
  if (submit === undefined || isDeleted(submit) || addedAt !== submit.addedAt) return
  const guarded = guardedBy({ queue: queues.submit, id: key, addedAt: submit.addedAt }, context)
  if (await leaveUnknown(key, outcome, guarded)) return
  await storeOutcome(key, outcome, guarded)
  // The response of the submit may still come. If it is lost, the run becomes unknown, and the next check ends it.
  if (submit.state === 'running') throw new RetryAfterError(SUBMIT_DELAY_MS)
  // An unknown run: its submit runs again, finds the outcome, and sends nothing.
  await guarded.engine.replay(queues.submit, key)
  await guarded.engine.remove(queues.poll, key)
}
