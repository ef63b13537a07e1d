import type { Job } from '@modelrun/contract'
import {
  backoffMs,
  defined,
  jitter,
  ModelRunError,
  memberOf,
  NonRetriableError,
  RetryAfterError,
  stableJson,
  type Task,
  wallNow,
} from '@modelrun/kit'
import { ApiError } from '../client/errors/api-errors.ts'
import { AbortedError } from '../client/errors/transport-errors.ts'
import { isFromService, isKeyRejection, isTransient } from '../client/http/status-policy.ts'
import { isEnded } from '../client/jobs/job-operations.ts'
import { abortable, type ScopeOptions, withinScope } from '../shared/clock.ts'
import type { InboxCore } from './inbox-core.ts'
import type { JobReader } from './inbox-options.ts'
import { readResult, unknownEvent } from './parse-webhook.ts'
import { contextOf, endsJob, jobIdOfKey, jobKey, type StoredJob } from './stored-job.ts'
import { JobLostError } from './subscribers.ts'
import type { UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** Polls of a job that the service does not have, or whose output it does not have yet, until that is taken for its word. */
const MISSING_POLLS = 3

/** Longest wait between two polls, and the longest first wait. */
const MAX_WAIT_MS = 15 * 60_000
const MAX_FIRST_WAIT_MS = 60_000

/** The wait after a poll that did not reach the service doubles within these limits. */
const OUTAGE = { baseMs: 1_000, maxMs: 300_000 } as const

export interface JobTask {
  task: Task
  job: StoredJob
}

/**
 * Returns how a job ended, by the word of the service. An inbox without a client takes that of the delivery, whose callback URL
 * it has signed. A delivery of a status that does not end the job is returned once for each such status.
 *
 * @returns undefined for a delivery to drop: the service does not have its job
 * @throws RetryAfterError while the job runs, or the service cannot be reached
 * @throws NonRetriableError when the job is given up
 */
export async function readEnd(core: InboxCore, { task, job }: JobTask): Promise<WebhookEvent | undefined> {
  const { lane, options } = core
  const { client, clock } = options
  if (job.source === 'poll') return job.event
  if (client === undefined) return newsOf(job, job.event) ?? (await stillRuns(core, { task, job }))
  const jobId = jobIdOfKey(task.id)
  const poll = () => pollJob(client, jobId, { clock, deadlineMs: POLL_MS * task.fence })
  const isAwaited = job.event !== undefined && (job.isExpected || job.token !== 'none')
  const polled = await (isAwaited ? poll() : lane.poll(task.id, poll))
  if (polled.kind !== 'job') return await failedPoll(core, { task, job }, polled)
  const { status, output } = polled.job
  if (status === 'succeeded' && output === undefined && mayPollAgain(core, task))
    throw new Error(`The job ${jobId} has no output yet.`)
  return newsOf(job, eventOfJob(jobId, polled.job, job.event)) ?? (await stillRuns(core, { task, job }))
}

type PolledJob =
  | { kind: 'job'; job: Job }
  /**
   * `missing`: the service does not have the job (404). `rejected`: it rejects this job id, and another poll would not help.
   * `unreachable`: it is down, limits the rate, or rejects the API key, which an operator has to fix. Or a gateway responds.
   */
  | { kind: 'missing' | 'rejected' | 'unreachable'; error: unknown }

/** The first poll of a job may take so long, and each other one longer: a poll that stalls holds the place of another job. */
const POLL_MS = 5_000

/** Asks the service for a job, once. Never rejects, also with a client that ignores the signal. */
export async function pollJob({ jobs }: JobReader, jobId: string, limit: ScopeOptions): Promise<PolledJob> {
  try {
    const get = (signal: AbortSignal) => Promise.resolve(jobs.get(jobId, { signal, maxRetries: 0 }))
    return { kind: 'job', job: await withinScope(limit, ({ signal }) => abortable(get(signal), signal)) }
  } catch (error) {
    // A response that cannot be read, such as the page of a gateway, says nothing about the job.
    const status = error instanceof ApiError && isFromService(error.apiCode) ? error.status : undefined
    if (status === undefined || isTransient(status) || isKeyRejection(status)) return { kind: 'unreachable', error }
    return { kind: status === 404 ? 'missing' : 'rejected', error }
  }
}

/** The event of a job, unless its status does not end the job and was handled before. */
function newsOf({ handledStatus }: StoredJob, event: WebhookEvent | undefined): WebhookEvent | undefined {
  if (event?.status !== 'unknown' || endsJob(event)) return event
  return handledStatus === (event.reported_status ?? '') ? undefined : event
}

/** Milliseconds until a job is given up. */
function msLeft({ options }: InboxCore, { notedAt }: StoredJob): number {
  return notedAt + options.giveUpAfterMs - wallNow(options.clock)
}

async function failedPoll(
  core: InboxCore,
  { task, job }: JobTask,
  polled: Exclude<PolledJob, { kind: 'job' }>,
): Promise<undefined> {
  const hasDelivery = job.event !== undefined
  const isOver = msLeft(core, job) <= 0
  if (polled.kind === 'unreachable') warnOfUnread(core, task, polled.error)
  if (polled.kind === 'unreachable' && (hasDelivery || !isOver)) throw new RetryAfterError(outageMs(task, polled.error))
  if (polled.kind === 'unreachable') throw await giveUp(core, { task, job }, 'gave_up')
  if (polled.kind === 'missing' && mayPollAgain(core, task)) throw polled.error
  if (!hasDelivery) throw await giveUp(core, { task, job }, 'not_found')
  if (polled.kind === 'missing' && job.isExpected && !isOver) throw new RetryAfterError(waitMs(core, { task, job }))
  if (job.isExpected || (polled.kind === 'rejected' && job.token !== 'none'))
    throw await giveUp(core, { task, job }, 'unconfirmed')
  return undefined
}

function mayPollAgain({ options }: InboxCore, { attempt }: Task): boolean {
  return attempt < Math.min(MISSING_POLLS, options.maxAttempts)
}

/** Warns of what does not pass by itself: a key that may not read jobs, or a URL that is not that of the service. */
function warnOfUnread({ hooks }: InboxCore, { id }: Task, error: unknown): void {
  const isPassing = error instanceof AbortedError || memberOf(error, 'isRetryable') === true
  if (error instanceof Error && !isPassing) hooks.warnOnce('unread', jobIdOfKey(id), error.message)
}

/** The wait while the service cannot be reached: longer from run to run, or as long as it asks for, within limits. */
function outageMs({ fence }: Task, error: unknown): number {
  const { retryAfterMs = 0 } = error instanceof ModelRunError ? error : {}
  return Math.min(OUTAGE.maxMs, Math.max(retryAfterMs, backoffMs(fence, OUTAGE)))
}

async function stillRuns(core: InboxCore, { task, job }: JobTask): Promise<never> {
  if (msLeft(core, job) > 0) throw new RetryAfterError(waitMs(core, { task, job }))
  throw await giveUp(core, { task, job }, hasEndDelivery(job) ? 'unconfirmed' : 'gave_up')
}

export function hasEndDelivery({ event }: StoredJob): boolean {
  return event !== undefined && endsJob(event)
}

/** The wait grows with the runs of the task and not with its age, because the clocks of processes differ. */
function waitMs(core: InboxCore, { task, job }: JobTask): number {
  // The service has delivered the end, and will show it soon.
  if (hasEndDelivery(job)) return Math.min(MAX_WAIT_MS, 1_000 * task.fence)
  // Without a client nothing is polled.
  if (core.options.client === undefined) return Math.min(msLeft(core, job), MAX_WAIT_MS)
  const baseMs = Math.min(MAX_FIRST_WAIT_MS, core.options.expectedAfterMs)
  const delayMs = jitter(backoffMs(task.fence, { baseMs, maxMs: MAX_WAIT_MS }), [0.8, 1.2])
  return Math.min(msLeft(core, job), delayMs)
}

/** Why a job is given up. The reason follows its id. */
const REASONS = {
  not_found: 'was given up: the service does not have it',
  gave_up: 'was given up: it has not ended in time',
  unconfirmed: 'was given up: the service does not confirm its delivery',
} as const

/** Reports a job that is given up. Waits for the job get the error. Returns the error for the engine. */
async function giveUp(core: InboxCore, { task, job }: JobTask, code: keyof typeof REASONS): Promise<NonRetriableError> {
  const jobId = jobIdOfKey(task.id)
  const error = new NonRetriableError(code, `The job ${jobId} ${REASONS[code]}.`)
  const context = await contextOf(core.queues, jobKey(jobId), job)
  task.afterEnd(() => {
    core.subscribers.lost(jobId, new JobLostError({ message: error.message, jobId }))
    core.hooks.notify('onDead', { jobId, event: job.event, attempt: task.attempt + task.lost, error, context })
  })
  return error
}

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
  return { ...event, ...defined({ credits_used, completed_at }) }
}

/** The end of a job in the response to its run: the service may neither deliver nor keep it. */
export function endInResponse(jobId: string, state: Job): WebhookEvent | undefined {
  return eventOfJob(jobId, state, readResult({ ...state, job_id: jobId }))
}

function endOfJob(jobId: string, job: Job): WebhookEvent | undefined {
  if (!isEnded(job)) return undefined
  const { status, output, error } = job
  return (
    readResult({ job_id: jobId, status, ...(status === 'failed' ? { error } : { output }) }) ??
    unknownEvent(jobId, { ...job })
  )
}

/** A delivery of an unknown status is confirmed when the job has an unknown status, too. */
function newerStatus(jobId: string, job: Job): UnknownEvent | undefined {
  return ['queued', 'processing'].includes(job.status) ? undefined : unknownEvent(jobId, { ...job })
}
