import type { Job } from '@modelrun/contract'
import { backoffMs, jitter, NonRetriableError, RetryAfterError, stableJson, type Task } from '@modelrun/kit'
import { isFinished } from '../client/jobs/job-operations.ts'
import { contextOf } from './callback-runs.ts'
import type { InboxCore } from './inbox-core.ts'
import { type DeadLetterNotice, JobLostError, type LostJob } from './inbox-notices.ts'
import { readResult } from './parse-webhook.ts'
import type { PolledJob } from './poll-job.ts'
import { expected, jobIdOfKey, jobKey, putJob, type StoredJob } from './stored-job.ts'
import type { UnknownEvent, WebhookEvent } from './webhook-event.ts'

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
async function lost(core: InboxCore, { task, job }: JobTask, reason: LostJob['reason']): Promise<NonRetriableError> {
  const jobId = jobIdOfKey(task.id)
  const why = reason === 'not_found' ? 'the service does not have it' : 'it has not ended in time'
  const error = new NonRetriableError(reason, `The job ${jobId} was given up: ${why}.`)
  core.hooks.metric('dead', jobId)
  core.hooks.notify('onLost', { jobId, reason, context: await contextOf(core.queues, jobKey(jobId), job) })
  core.subscribers.lost(jobId, new JobLostError({ message: error.message, jobId }))
  return error
}

/** Reports a job whose delivery was never confirmed. */
async function unconfirmed(core: InboxCore, { task, job }: JobTask): Promise<NonRetriableError> {
  const jobId = jobIdOfKey(task.id)
  const error = new NonRetriableError('unconfirmed', `The service does not confirm the delivery of the job ${jobId}.`)
  core.subscribers.lost(jobId, new JobLostError({ message: error.message, jobId }))
  const context = await contextOf(core.queues, jobKey(jobId), job)
  reportDead(core, { jobId, event: job.event, attempt: task.attempt + task.lost, error, context })
  return error
}

/** Reports a job that becomes a dead letter. `event`: undefined when it is not known. */
export function reportDead({ hooks }: InboxCore, { event, ...dead }: DeadJob): void {
  hooks.metric('dead', dead.jobId)
  hooks.notify('onDead', { ...dead, event: event ?? { status: 'unknown', job_id: dead.jobId, payload: {} } })
}

type DeadJob = Omit<DeadLetterNotice, 'event'> & { event: WebhookEvent | undefined }

/**
 * Creates the event of a job that was polled.
 *
 * @param delivered the event of a delivery. Its `credits_used` and `completed_at`, which only deliveries have, are copied, unless
 * its output differs from that of the job: then the delivery is forged
 * @returns undefined while the job has not ended (section 3: unknown statuses count as not finished)
 */
function eventOfJob(jobId: string, job: Job, delivered?: WebhookEvent): WebhookEvent | undefined {
  const event = endOfJob(jobId, job) ?? (delivered?.status === 'unknown' ? newerStatus(jobId, job) : undefined)
  if (event?.status !== 'succeeded' || delivered?.status !== 'succeeded') return event
  if (stableJson(event.output) !== stableJson(delivered.output)) return event
  const { credits_used, completed_at } = delivered
  return {
    ...event,
    ...(credits_used === undefined ? {} : { credits_used }),
    ...(completed_at === undefined ? {} : { completed_at }),
  }
}

function endOfJob(jobId: string, job: Job): WebhookEvent | undefined {
  if (!isFinished(job)) return undefined
  const { status, output, error } = job
  return (
    readResult({ job_id: jobId, status, ...(status === 'failed' ? { error } : { output }) }) ?? unknownEvent(jobId, job)
  )
}

/** A delivery of an unknown status is confirmed when the job has an unknown status, too. */
function newerStatus(jobId: string, job: Job): UnknownEvent | undefined {
  return ['queued', 'processing'].includes(job.status) ? undefined : unknownEvent(jobId, job)
}

function unknownEvent(jobId: string, job: Job): UnknownEvent {
  return { status: 'unknown', job_id: jobId, reported_status: job.status, payload: { ...job } }
}
