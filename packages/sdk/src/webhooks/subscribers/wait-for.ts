import { abortable, linkController, sleep } from '../../abort.ts'
import { AbortedError } from '../../errors/transport-errors.ts'
import type { TaskRecord } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-errors.ts'
import { jobKey } from '../delivery/record-key.ts'
import { readStoredDelivery } from '../delivery/stored-delivery.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** Time between two reads of the engine, for what other processes do: longer each time. */
const READS = { firstMs: 1_000, growth: 1.5, maxMs: 15_000 } as const

/** Ends of a job whose results have tasks of their own: a success can come without an output. */
const OTHER_ENDS = ['cancelled', 'succeeded']

/**
 * Waits for the end of a job, in this process or another one.
 *
 * @throws AbortedError when the signal aborts, or the inbox is drained
 * @throws JobLostError when there will be no event
 */
export async function waitFor(core: InboxCore, jobId: string, signal?: AbortSignal): Promise<WebhookEvent> {
  const wait = core.subscribers.wait(jobId)
  const ended = linkController(signal)
  try {
    return await abortable(Promise.race([wait.event, readUntilEnded(core, jobId, ended.signal)]), ended.signal)
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

async function readUntilEnded(core: InboxCore, jobId: string, signal: AbortSignal): Promise<WebhookEvent> {
  const { queues, options } = core
  for (let delayMs: number = READS.firstMs; !signal.aborted; delayMs = Math.min(READS.maxMs, delayMs * READS.growth)) {
    const key = jobKey(jobId)
    for (const id of [key, ...OTHER_ENDS.map((status) => `${key}?${status}`)]) {
      const event = eventOfEnd(await queues.results.get(id).catch(() => undefined), jobId)
      if (event !== undefined) return event
    }
    const overdue = await queues.overdue.get(key).catch(() => undefined)
    if (overdue?.state === 'dead') {
      throw new JobLostError({ message: `The job ${jobId} was given up: ${overdue.error?.message}`, jobId })
    }
    // What an engine in memory keeps changes in this process alone, which notifies its waits.
    if (options.isInMemory) break
    await sleep(options.clock, delayMs, signal)
  }
  return await new Promise(() => {})
}

/**
 * The event of a task that has ended; undefined while it has not, or when its delivery was dropped.
 *
 * @throws JobLostError when the service never confirmed it
 */
function eventOfEnd(task: TaskRecord | undefined, jobId: string): WebhookEvent | undefined {
  if (task?.state !== 'done' && task?.state !== 'dead') return undefined
  if (task.error?.code === 'unconfirmed') throw new JobLostError({ message: task.error.message, jobId })
  const { isDropped, event = Object(task.data).event } = Object(task.result) as { isDropped?: boolean; event?: unknown }
  return isDropped ? undefined : readStoredDelivery({ ...Object(task.data), event })?.event
}
