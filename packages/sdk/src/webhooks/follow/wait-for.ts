import { abortable, linkController, sleep } from '../../abort.ts'
import { ConfigurationError } from '../../errors/local-errors.ts'
import { AbortedError } from '../../errors/transport-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-errors.ts'
import { jobKey } from '../record-key.ts'
import type { InboxRecord } from '../store/inbox-store.ts'
import { readStoredDelivery } from '../stored-delivery.ts'
import { needsLook } from '../trust/confirm-delivery.ts'
import { eventOfJob } from '../trust/event-of-job.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Time between two looks at the store, for what other processes do: longer each time. */
const LOOK = { firstMs: 1_000, growth: 1.5, maxMs: 15_000 } as const

/**
 * Waits for the end of a job, in this process or another one.
 *
 * @throws AbortedError when the signal aborts, or the inbox is drained
 * @throws JobLostError when there will be no event
 * @throws ConfigurationError when another process handled the job and there is no client to read its result with
 */
export async function waitFor(core: InboxCore, jobId: string, signal?: AbortSignal): Promise<WebhookEvent> {
  const wait = core.followers.wait(jobId)
  const ended = linkController(signal)
  try {
    return await abortable(Promise.race([wait.event, lookElsewhere(core, jobId, ended.signal)]), ended.signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = `The wait for the job ${jobId} was aborted by the caller. The job goes on.`
    throw new AbortedError({ message, cause: signal.reason, jobId, submission: 'accepted' })
  } finally {
    wait.stop()
    ended.abort(undefined)
    ended.release()
  }
}

async function lookElsewhere(core: InboxCore, jobId: string, signal: AbortSignal): Promise<WebhookEvent> {
  const { store, options } = core
  for (let delayMs: number = LOOK.firstMs; !signal.aborted; delayMs = Math.min(LOOK.maxMs, delayMs * LOOK.growth)) {
    const record = await store.get(jobKey(jobId)).catch(() => undefined)
    const event = record === undefined ? undefined : await eventOfRecord(core, jobId, record)
    if (event !== undefined) return event
    // What no other process can change will be told by this one.
    if (!store.guarantees.shared) break
    await sleep(options.clock, delayMs, signal)
  }
  return await new Promise(() => {})
}

async function eventOfRecord(core: InboxCore, jobId: string, record: InboxRecord): Promise<WebhookEvent | undefined> {
  if (record.state !== 'done' && record.state !== 'dead') return undefined
  const delivery = readStoredDelivery(record.payload)
  if (record.state === 'dead' && delivery === undefined) {
    throw new JobLostError({ message: `The job ${jobId} was given up: ${record.lastError}`, jobId })
  }
  if (delivery !== undefined && !needsLook(core, delivery)) return delivery.event
  if (core.looker === undefined) {
    throw new ConfigurationError({
      message: `The job ${jobId} was handled elsewhere or a while ago, and this inbox has no \`client\` to read its result with.`,
    })
  }
  const look = await core.looker.look(jobId)
  if (look.kind === 'job') return eventOfJob(jobId, look.job)
  // The store says that it has ended, so it is there: the next look finds it.
  return undefined
}
