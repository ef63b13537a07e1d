import type { TaskRecord } from '@modelrun/kit'
import { readOptions } from '@modelrun/kit'
import { checkInboxArguments, PAGE_OPTIONS } from './inbox-checks.ts'
import type { InboxCore } from './inbox-core.ts'
import type { PageOptions } from './inbox-options.ts'
import { DELIVERY_STATES } from './queues.ts'
import { jobIdOfKey, jobKey, readStoredContext, readStoredDelivery } from './stored-records.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A job that was given up, or whose handler failed for good. */
export interface DeadLetter {
  /** Id for `replay`: the `job_id`, except for events of unknown status. */
  key: string
  /** Identifier of the job. */
  jobId: string
  /** The event as it was delivered; undefined for a job that was lost. */
  event: WebhookEvent | undefined
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
  /** The last error, for programs. `process_died`: each process that ran the handler died. */
  code: string | undefined
  /** The last error, for people. */
  error: string | undefined
  /** Milliseconds since the job became a dead letter. */
  ageMs: number
  /** For `after` of the next page. */
  cursor: string
}

/** Jobs that could not be handled. They are stored for `keepDeadMs`. */
export interface DeadLetters {
  /** Results that could not be handled, the oldest first. */
  list(options?: PageOptions): Promise<DeadLetter[]>
  /** Expected jobs that were given up, the oldest first. */
  listLost(options?: PageOptions): Promise<DeadLetter[]>
  /** Handles a job again, with all of its attempts. Resolves to false without a dead letter of this key or job id. */
  replay(key: string): Promise<boolean>
}

/** Creates the dead letters of an inbox. */
export function createDeadLetters(core: InboxCore): DeadLetters {
  const { queues } = core
  const listOf = async (method: string, state: 'dead' | 'lost', page: PageOptions): Promise<DeadLetter[]> => {
    const { limit = 50, after } = readOptions(`inbox.deadLetters.${method}`, page, PAGE_OPTIONS)
    const [queue, taskState] = DELIVERY_STATES[state]
    const dead = await queues[queue].list(taskState, { limit, after })
    return await Promise.all(dead.map((task) => toDeadLetter(core, task)))
  }
  return {
    list: async (page = {}) => await listOf('list', 'dead', page),
    listLost: async (page = {}) => await listOf('listLost', 'lost', page),
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
  const expected = delivery === undefined ? task : await queues.expected.get(jobKey(jobId))
  return {
    key: task.id,
    jobId,
    event: delivery?.event,
    context: readStoredContext(expected?.data)?.context,
    code: task.error?.code,
    error: task.error?.message,
    ageMs: Math.max(0, options.clock.now() - (task.endedAt ?? task.addedAt)),
    cursor: task.cursor,
  }
}
