import { backoffMs, ConfigurationError, jitter, NonRetriableError, RetryAfterError, type Task } from '@modelrun/kit'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError, type LostJob } from '../inbox-notices.ts'
import type { ExpectOptions } from '../inbox-options.ts'
import { type InboxQueues, keepTrying } from '../queues.ts'
import {
  eventKey,
  jobIdOfKey,
  jobKey,
  readStoredContext,
  type StoredContext,
  type StoredDelivery,
} from '../stored-records.ts'
import { eventOfJob } from '../verification/confirm-result.ts'
import { bindToJob } from './prepared-runs.ts'

/** Polls of an expected job that the service does not have, until the job is given up. */
export const OVERDUE_ATTEMPTS = 3

/** Longest wait between two polls of an overdue job, and the longest first wait. */
const MAX_WAIT_MS = 15 * 60_000
const MAX_FIRST_WAIT_MS = 60_000

/** Stores that a job is expected. What was stored by `prepare` moves to the job. */
export async function expectJob(core: InboxCore, jobId: string, options: ExpectOptions): Promise<void> {
  const { queues, hooks } = core
  const { ref, pollInMs = core.options.expectedAfterMs } = options
  const make = async () => {
    const prepared = ref === undefined ? undefined : readStoredContext((await queues.prepared.get(ref))?.data)
    const stored: StoredContext = {
      modelId: options.modelId ?? prepared?.modelId,
      ref,
      context: options.context ?? prepared?.context,
      notedAt: core.options.clock.now(),
    }
    await queues.expected.add(jobKey(jobId), stored, pollInMs)
    if (ref === undefined) return
    if (!(await bindToJob(queues, ref, jobId))) {
      throw new ConfigurationError({
        message: `The reference ${ref} belongs to another job than ${jobId}: prepare each run by itself, and give each one its own callback URL.`,
      })
    }
    await queues.prepared.remove(ref)
  }
  // The run is paid, and nothing else would store its job.
  const onFailure = (error: unknown) => hooks.warn(`the inbox could not note that the job ${jobId} is expected`, error)
  await keepTrying(core, { make, onFailure })
}

/**
 * Works a task of the queue `expected`, which is due when the delivery of its job is overdue. The polls are tasks of another
 * queue, so that jobs whose delivery came do not use up the rate of polls.
 */
export async function checkExpected({ queues, options }: InboxCore, task: Task): Promise<undefined> {
  if (await hasResult(queues, task.id)) return
  const expected: StoredContext = readStoredContext(task.data) ?? { notedAt: options.clock.now() }
  await queues.overdue.add(task.id, expected)
}

/** Whether the result of a job is handled, or waits for that. Removes a dropped delivery, which is not the result. */
async function hasResult({ results }: InboxQueues, taskId: string): Promise<boolean> {
  const task = await results.get(taskId)
  const isDropped = Object(task?.result).isDropped === true
  if (isDropped) await results.remove(taskId)
  return task !== undefined && !isDropped
}

/** Works a task of the queue `overdue`: polls a job whose delivery is overdue. */
export async function pollOverdue(core: InboxCore, task: Task): Promise<undefined> {
  const { queues, poller, options, hooks } = core
  const { clock } = options
  if (await hasResult(queues, task.id)) return
  const jobId = jobIdOfKey(task.id)
  const { notedAt, context }: StoredContext = readStoredContext(task.data) ?? { notedAt: clock.now() }
  const lost = (reason: LostJob['reason']) => giveUp(core, { jobId, reason, context })
  const leftMs = notedAt + options.giveUpAfterMs - clock.now()
  const isOver = leftMs <= 0
  if (poller === undefined) throw isOver ? lost('gave_up') : new RetryAfterError(leftMs)
  const polled = await poller.poll(jobId)
  const event = polled.kind === 'job' ? eventOfJob(jobId, polled.job) : undefined
  if (event !== undefined) {
    const result: StoredDelivery = { source: 'poll', token: 'none', event, receivedAt: clock.now() }
    await queues.results.add(eventKey(event), result)
    hooks.metric('reconciled', jobId)
    hooks.notify('onWebhookMissed', { jobId, event, context })
    return
  }
  if (polled.kind === 'missing' && task.attempt < OVERDUE_ATTEMPTS) throw polled.error
  if (polled.kind === 'missing' || polled.kind === 'rejected') throw lost('not_found')
  if (isOver) throw lost('gave_up')
  if (polled.kind === 'unreachable') throw new RetryAfterError(polled.retryInMs)
  // Grows with the runs of the task and not with its age, because the clocks of processes differ.
  const baseMs = Math.min(MAX_FIRST_WAIT_MS, options.expectedAfterMs)
  const waitMs = backoffMs(task.fence, { baseMs, maxMs: MAX_WAIT_MS })
  throw new RetryAfterError(Math.min(leftMs, jitter(waitMs, [0.8, 1.2])))
}

/** Reports a lost job. Waits for the job get the error. Returns the error for the engine. */
function giveUp({ hooks, subscribers }: InboxCore, lost: LostJob): NonRetriableError {
  const { jobId, reason } = lost
  const why = reason === 'not_found' ? 'the service does not have it' : 'it has not ended in time'
  const message = `The job ${jobId} was given up: ${why}.`
  hooks.metric('dead', jobId)
  hooks.notify('onLost', lost)
  subscribers.lost(jobId, new JobLostError({ message, jobId }))
  return new NonRetriableError(reason, message)
}
