import type { TaskRecord } from '@modelrun/kit'
import { AbortedError } from '../../client/errors/transport-errors.ts'
import { type BackoffLimits, backoffMs } from '../../shared/backoff.ts'
import { abortable, linkController, sleep } from '../../shared/clock.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-errors.ts'
import { jobKey, readStoredDelivery } from '../stored-records.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Wait between two reads of the engine, which has the results that other processes handled. */
const READS: BackoffLimits = { baseMs: 1_000, growth: 1.5, maxMs: 15_000 }

/** Statuses that end a job, and whose events have tasks of their own: a success can come without an output. */
const OTHER_ENDS = ['cancelled', 'succeeded']

/**
 * Waits until the result of a job is handled, in this process or another one.
 *
 * @throws AbortedError when the signal aborts, or the inbox is drained
 * @throws JobLostError when the job was given up, or its delivery was never confirmed
 */
export async function waitFor(core: InboxCore, jobId: string, signal?: AbortSignal): Promise<WebhookEvent> {
  const wait = core.subscribers.wait(jobId)
  const ended = linkController(signal)
  try {
    return await abortable(Promise.race([wait.event, readUntilEnded(core, jobId, ended.signal)]), ended.signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = `The wait for the job ${jobId} was aborted by the caller. The job continues.`
    throw new AbortedError({ message, cause: signal.reason, jobId, submission: 'accepted' })
  } finally {
    wait.stop()
    ended.abort(undefined)
    ended.release()
  }
}

async function readUntilEnded(
  { queues, options }: InboxCore,
  jobId: string,
  signal: AbortSignal,
): Promise<WebhookEvent> {
  const key = jobKey(jobId)
  for (let reads = 1; !signal.aborted; reads++) {
    for (const id of [key, ...OTHER_ENDS.map((status) => `${key}?${status}`)]) {
      const event = eventOfEnd(await queues.results.get(id).catch(() => undefined), jobId)
      if (event !== undefined) return event
    }
    const overdue = await queues.overdue.get(key).catch(() => undefined)
    if (overdue?.state === 'dead') {
      throw new JobLostError({ message: `The job ${jobId} was given up: ${overdue.error?.message}`, jobId })
    }
    // An engine in memory changes only in this process, which notifies its waits.
    if (options.isInMemory) break
    await sleep(options.clock, backoffMs(reads, READS), signal)
  }
  return await new Promise(() => {})
}

/**
 * Returns the event of a task that has ended. Returns undefined while the task has not ended, and for a dropped delivery.
 *
 * @throws JobLostError when the service never confirmed the delivery
 */
function eventOfEnd(task: TaskRecord | undefined, jobId: string): WebhookEvent | undefined {
  if (task?.state !== 'done' && task?.state !== 'dead') return undefined
  if (task.error?.code === 'unconfirmed') throw new JobLostError({ message: task.error.message, jobId })
  const { isDropped, event = Object(task.data).event } = Object(task.result) as { isDropped?: boolean; event?: unknown }
  return isDropped ? undefined : readStoredDelivery({ ...Object(task.data), event })?.event
}
