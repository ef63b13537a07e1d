import { readOptions } from '../arguments/read-options.ts'
import type { TaskRecord } from './engine/inbox-engine.ts'
import { checkInboxArguments, PAGE_OPTIONS } from './inbox-arguments.ts'
import type { InboxCore } from './inbox-core.ts'
import type { InboxQueue } from './queues.ts'
import { jobIdOfKey, jobKey } from './delivery/record-key.ts'
import { readStoredContext, readStoredDelivery } from './delivery/stored-delivery.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A job that was given up, or whose handler failed for good. */
export interface DeadLetter {
  /** Names it: the `job_id`, except for events of unknown status. */
  key: string
  /** Identifier of the job. */
  jobId: string
  /** What was delivered, as it came; undefined for a job that was lost. */
  event: WebhookEvent | undefined
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
  /** What went wrong last: for programs. `process_died`: each process that ran the handler died. */
  code: string | undefined
  /** What went wrong last: for people. */
  error: string | undefined
  /** Milliseconds since it became a dead letter. */
  ageMs: number
  /** For `after` of the next page. */
  cursor: string
}

/** One page of a list. */
export interface PageOptions {
  /** Default 50. */
  limit?: number | undefined
  /** The `cursor` of the last dead letter of the page before. */
  after?: string | undefined
}

/** What could not be handled. It is kept for `keepDeadMs`. */
export interface DeadLetters {
  /** Results that could not be handled, the oldest first. */
  list(options?: PageOptions): Promise<DeadLetter[]>
  /** Expected jobs that were given up, the oldest first. */
  listLost(options?: PageOptions): Promise<DeadLetter[]>
  /** Handles it once more, with all its attempts. False: there is none with this key or job id. */
  replay(key: string): Promise<boolean>
}

export function createDeadLetters(core: InboxCore): DeadLetters {
  const { queues } = core
  const listOf = async (queue: InboxQueue, name: string, page: PageOptions): Promise<DeadLetter[]> => {
    const { limit = 50, after } = readOptions(`inbox.deadLetters.${name}`, page, PAGE_OPTIONS)
    const dead = await queue.list('dead', { limit, after })
    return await Promise.all(dead.map((task) => toDeadLetter(core, task)))
  }
  return {
    list: async (page = {}) => await listOf(queues.results, 'list', page),
    listLost: async (page = {}) => await listOf(queues.overdue, 'listLost', page),
    replay: async (keyOrId) => {
      checkInboxArguments('deadLetters.replay', { key: keyOrId })
      for (const key of new Set([keyOrId, jobKey(keyOrId)])) {
        if (await queues.results.replay(key)) return true
        if (await queues.overdue.replay(key)) return true
      }
      return false
    },
  }
}

async function toDeadLetter({ queues, options }: InboxCore, task: TaskRecord): Promise<DeadLetter> {
  const delivery = readStoredDelivery(task.data)
  const jobId = jobIdOfKey(task.id)
  // The data of a lost job is its context.
  const noted = delivery === undefined ? task : await queues.expected.get(jobKey(jobId))
  return {
    key: task.id,
    jobId,
    event: delivery?.event,
    context: readStoredContext(noted?.data)?.context,
    code: task.error?.code,
    error: task.error?.message,
    ageMs: Math.max(0, options.clock.now() - (task.endedAt ?? task.addedAt)),
    cursor: task.cursor,
  }
}
