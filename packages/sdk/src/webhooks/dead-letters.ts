import { readOptions, type TaskRecord, wallNow } from '@modelrun/kit'
import type { InboxCore } from './inbox-core.ts'
import type { PageOptions } from './inbox-options.ts'
import { checkInboxArguments, PAGE_OPTIONS } from './resolve-inbox-options.ts'
import { contextOf, jobIdOfKey, jobKey, readStoredJob } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A job that was given up, or whose handler failed for good. */
export interface DeadLetter {
  /** Id for `replay`: the `job_id`, except for events of unknown status. */
  key: string
  /** Identifier of the job. */
  jobId: string
  /** The event as it was delivered, or as a poll found it; undefined for a job that was lost. */
  event: WebhookEvent | undefined
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
  /**
   * The last error, for programs. `process_died`: each process that ran the handler died. `not_found`, `gave_up`: the expected
   * job was lost.
   */
  code: string | undefined
  /** The last error, for people. */
  error: string | undefined
  /** Milliseconds since the job became a dead letter. */
  ageMs: number
  /** For `after` of the next page. */
  cursor: string
}

/** Jobs that could not be handled, and expected jobs that were lost. They are stored for `keepDeadMs`. */
export interface DeadLetters {
  /** Lists dead letters, the oldest first. */
  list(options?: PageOptions): Promise<DeadLetter[]>
  /** Handles a job again, with all of its attempts. Resolves to false without a dead letter of this key or job id. */
  replay(key: string): Promise<boolean>
}

export function createDeadLetters(core: InboxCore): DeadLetters {
  const { jobs } = core.queues
  return {
    list: async (page = {}) => {
      const { limit = 50, after } = readOptions('inbox.deadLetters.list', page, PAGE_OPTIONS)
      const dead = await jobs.list('dead', { limit, after })
      return await Promise.all(dead.map((task) => toDeadLetter(core, task)))
    },
    replay: async (keyOrId) => {
      checkInboxArguments('deadLetters.replay', { key: keyOrId })
      return (await jobs.replay(keyOrId)) || (await jobs.replay(jobKey(keyOrId)))
    },
  }
}

async function toDeadLetter({ queues, options }: InboxCore, task: TaskRecord): Promise<DeadLetter> {
  const job = readStoredJob(task.data)
  const jobId = jobIdOfKey(task.id)
  return {
    key: task.id,
    jobId,
    event: job?.event,
    context: await contextOf(queues, jobKey(jobId), job),
    code: task.error?.code,
    error: task.error?.message,
    ageMs: Math.max(0, wallNow(options.clock) - (task.endedAt ?? task.addedAt)),
    cursor: task.cursor,
  }
}
