import { Again, createInbox, type Inbox, type WebhookEvent } from 'modelrun/webhooks'
import { outcomeOf } from './run-types.ts'
import { asJson, type RunsContext } from './runs-context.ts'

/** From one check of a submit that is under way to the next. */
const SUBMIT_DELAY_MS = 500

/** How a batch receives its results by webhook. */
export interface RunsWebhooks {
  /** URL at which the service reaches `runs.inbox`. */
  publicUrl: string
  /** Signs the callback URLs: at least 32 bytes, or several by id. All processes of the batch need the same. */
  secret: string | Readonly<Record<string, string>>
  /** Lets callback URLs be http at any host, in a network of your own. Default `false`. */
  allowHttp?: boolean | undefined
}

/**
 * The inbox of a batch. Its deliveries end runs, also those of which only the callback URL is known, because the response
 * to their submit was lost.
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

/** What an inbox notes of a run before it is sent. */
export function inboxContextOf(key: string): { key: string } {
  return { key }
}

async function storeDelivered({ engine, queues }: RunsContext, event: WebhookEvent, note: unknown): Promise<void> {
  const { key } = Object(note) as Partial<ReturnType<typeof inboxContextOf>>
  const job = event.status === 'unknown' ? { status: event.reported_status ?? event.status } : event
  const outcome = outcomeOf(event.job_id, job)
  if (key === undefined || outcome === undefined) return
  await engine.add(queues.outcomes, key, { data: asJson(outcome) })
  const submit = await engine.get(queues.submit, key)
  // Its response may still come, or be lost: then the run is unknown, and this has to end it.
  if (submit?.state === 'running') throw new Again(SUBMIT_DELAY_MS)
  // A run that was unknown: its submit runs again, finds the outcome, and sends nothing.
  await engine.replay(queues.submit, key)
  await engine.remove(queues.poll, key)
}

/** Ends the polls of a run whose delivery came before the response to its submit. */
export async function stopPolling(key: string, { engine, queues }: RunsContext): Promise<void> {
  if ((await engine.get(queues.outcomes, key)) !== undefined) await engine.remove(queues.poll, key)
}
