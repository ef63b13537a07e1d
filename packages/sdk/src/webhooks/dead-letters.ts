import { readOptions } from '../arguments/read-options.ts'
import { checkInboxArguments, PAGE_OPTIONS } from './inbox-arguments.ts'
import type { InboxCore } from './inbox-core.ts'
import { jobIdOfKey, jobKey, refOfKey } from './record-key.ts'
import type { InboxRecord } from './store/inbox-store.ts'
import { readStoredContext, readStoredDelivery } from './stored-delivery.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { rerunLater } from './work/start-work.ts'

/** A job that was given up, or whose handler failed for good. */
export interface DeadLetter {
  /** Names it: the `job_id`, but for events of unknown status. */
  key: string
  /** Identifier of the job. */
  jobId: string
  /** What was delivered, as it came; undefined for a job that was lost. */
  event: WebhookEvent | undefined
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
  /** How often the handler was called for it. */
  attempt: number
  /** What went wrong last. */
  error: string | undefined
  /** Milliseconds since the record was created. */
  ageMs: number
}

/** One page of a list. */
export interface PageOptions {
  /** Default 50. */
  limit?: number | undefined
  /** The last key of the page before. */
  after?: string | undefined
}

/** What could not be handled. It is kept for `keepDeadMs`. */
export interface DeadLetters {
  /** Oldest first. */
  list(options?: PageOptions): Promise<DeadLetter[]>
  /** Handles it once more, with all its attempts. False: there is none of this key or job id. */
  replay(key: string): Promise<boolean>
}

export function createDeadLetters(core: InboxCore): DeadLetters {
  const { store, options } = core
  return {
    list: async (page = {}) => {
      const { limit = 50, after } = readOptions('inbox.deadLetters.list', page, PAGE_OPTIONS)
      const records = await store.list('dead', { limit, after })
      return records.filter(({ key }) => refOfKey(key) === undefined).map(toDeadLetter)
    },
    replay: async (keyOrId) => {
      checkInboxArguments('deadLetters.replay', { key: keyOrId })
      const key = await firstOf([keyOrId, jobKey(keyOrId)], store.replay)
      if (key === undefined) return false
      // What was lost is for the poller, and what a serverless function cannot do later for the sweep.
      const isWork = (await store.get(key))?.state === 'retry'
      if (isWork && options.waitUntil === undefined) rerunLater(core, { key }, 0)
      return true
    },
  }
}

async function firstOf(keys: readonly string[], isIt: (key: string) => Promise<boolean>): Promise<string | undefined> {
  for (const key of keys) if (await isIt(key)) return key
  return undefined
}

function toDeadLetter({ key, attempt, lastError, ageMs, context, payload }: InboxRecord): DeadLetter {
  return {
    key,
    jobId: jobIdOfKey(key),
    event: readStoredDelivery(payload)?.event,
    context: readStoredContext(context)?.context,
    attempt,
    error: lastError,
    ageMs,
  }
}
