import { backoffMs, jitter, NonRetriableError, RetryAfterError, type Task } from '@modelrun/kit'
import { contextOf } from './callback-runs.ts'
import type { InboxCore } from './inbox-core.ts'
import { JobLostError, type LostJob } from './inbox-notices.ts'
import { eventOfJob, type PolledJob } from './poll-job.ts'
import { expected, putJob } from './put-job.ts'
import { jobIdOfKey, jobKey, type StoredJob } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Polls of a job that the service does not have, until the job is given up, or its delivery dropped. */
const MISSING_POLLS = 3

/** Longest wait between two polls, and the longest first wait. */
const MAX_WAIT_MS = 15 * 60_000
const MAX_FIRST_WAIT_MS = 60_000

/** The task of a job, and its data. */
export interface JobTask {
  task: Task
  job: StoredJob
}

/**
 * Returns how a job ended, by the word of the service. An inbox without a client takes that of the delivery, whose callback URL
 * it has signed.
 *
 * @returns undefined for a delivery to drop: the service does not have its job, or shows no such status
 * @throws RetryAfterError while the job runs, or the service cannot be reached
 * @throws NonRetriableError when the job is given up
 */
export async function readEnd(core: InboxCore, { task, job }: JobTask): Promise<WebhookEvent | undefined> {
  const { pollJob, lanes } = core
  const { event, source, isConfirmed } = job
  if (source === 'poll' || isConfirmed) return event
  if (pollJob === undefined) return event ?? (await waitForDelivery(core, { task, job }))
  const jobId = jobIdOfKey(task.id)
  const poll = () => pollJob(jobId)
  const isTrusted = job.isExpected || job.token !== 'none'
  const lane = event === undefined ? lanes.overdue : isTrusted ? undefined : lanes.unverified
  const polled = await (lane === undefined ? poll() : lane(task.id, poll))
  if (polled.kind !== 'job') return await failedPoll(core, { task, job }, polled)
  return eventOfJob(jobId, polled.job, event) ?? (await stillRuns(core, { task, job }))
}

async function waitForDelivery(core: InboxCore, { task, job }: JobTask): Promise<never> {
  const leftMs = msLeft(core, job)
  throw leftMs > 0 ? new RetryAfterError(leftMs) : await lost(core, { task, job }, 'gave_up')
}

/** Milliseconds until a job is given up. */
function msLeft({ options }: InboxCore, { notedAt }: StoredJob): number {
  return notedAt + options.giveUpAfterMs - options.clock.now()
}

async function failedPoll(
  core: InboxCore,
  { task, job }: JobTask,
  polled: Exclude<PolledJob, { kind: 'job' }>,
): Promise<undefined> {
  const hasDelivery = job.event !== undefined
  const isOver = msLeft(core, job) <= 0
  if (polled.kind === 'unreachable' && (hasDelivery || !isOver)) throw new RetryAfterError(polled.retryInMs)
  if (polled.kind === 'unreachable') throw await lost(core, { task, job }, 'gave_up')
  if (polled.kind === 'missing' && task.attempt < Math.min(MISSING_POLLS, core.options.maxAttempts)) throw polled.error
  if (!hasDelivery) throw await lost(core, { task, job }, 'not_found')
  if (polled.kind === 'missing' && job.isExpected && !isOver) throw new RetryAfterError(waitMs(core, { task, job }))
  if (job.isExpected || (polled.kind === 'rejected' && job.token !== 'none'))
    throw await unconfirmed(core, { task, job })
  core.hooks.metric('rejected', jobIdOfKey(task.id))
  return undefined
}

async function stillRuns(core: InboxCore, { task, job }: JobTask): Promise<undefined> {
  const key = jobKey(jobIdOfKey(task.id))
  if (task.id !== key) {
    // A delivery of an unknown status. The job is polled later, when no other delivery comes.
    const { context, ref, notedAt } = job
    const news = { key, change: expected({ context, ref, notedAt }), delayMs: core.options.expectedAfterMs }
    await putJob(core.queues, news, await core.queues.jobs.get(key))
    return undefined
  }
  if (msLeft(core, job) > 0) throw new RetryAfterError(waitMs(core, { task, job }))
  throw job.event === undefined ? await lost(core, { task, job }, 'gave_up') : await unconfirmed(core, { task, job })
}

/** The wait grows with the runs of the task and not with its age, because the clocks of processes differ. */
function waitMs(core: InboxCore, { task, job }: JobTask): number {
  // The service has delivered the end, and will show it soon.
  if (job.event !== undefined) return Math.min(MAX_WAIT_MS, 1_000 * task.fence)
  const baseMs = Math.min(MAX_FIRST_WAIT_MS, core.options.expectedAfterMs)
  const delayMs = jitter(backoffMs(task.fence, { baseMs, maxMs: MAX_WAIT_MS }), [0.8, 1.2])
  return Math.min(msLeft(core, job), delayMs)
}

/** Reports a lost job. Waits for the job get the error. Returns the error for the engine. */
async function lost(
  { hooks, subscribers, queues }: InboxCore,
  { task, job }: JobTask,
  reason: LostJob['reason'],
): Promise<NonRetriableError> {
  const jobId = jobIdOfKey(task.id)
  const why = reason === 'not_found' ? 'the service does not have it' : 'it has not ended in time'
  const message = `The job ${jobId} was given up: ${why}.`
  hooks.metric('dead', jobId)
  hooks.notify('onLost', { jobId, reason, context: await contextOf(queues, jobKey(jobId), job) })
  subscribers.lost(jobId, new JobLostError({ message, jobId }))
  return new NonRetriableError(reason, message)
}

/** Reports a job whose delivery was never confirmed. */
async function unconfirmed(core: InboxCore, { task, job }: JobTask): Promise<NonRetriableError> {
  const jobId = jobIdOfKey(task.id)
  const message = `The service does not confirm the delivery of the job ${jobId}.`
  const error = new NonRetriableError('unconfirmed', message)
  const { event = { status: 'unknown', job_id: jobId, payload: {} } } = job
  core.subscribers.lost(jobId, new JobLostError({ message, jobId }))
  core.hooks.metric('dead', jobId)
  const context = await contextOf(core.queues, jobKey(jobId), job)
  core.hooks.notify('onDead', { jobId, event, attempt: task.attempt + task.lost, error, context })
  return error
}
