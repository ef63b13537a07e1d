import type { Job } from '@modelrun/contract'
import { ModelRunError, NonRetriableError, RetryAfterError, withTimeLimit } from '@modelrun/kit'
import { ApiError } from '../../client/errors/api-errors.ts'
import { isKeyRejection, isTransient } from '../../client/http/status-policy.ts'
import { asKnownStatus } from '../../client/jobs/job-operations.ts'
import { stableJson } from '../../client/models/schema-hash.ts'
import type { Clock } from '../../shared/clock.ts'
import type { JobReader } from '../inbox-options.ts'
import { checkOutputUrls } from '../output-urls.ts'
import type { InboxQueues } from '../queues.ts'
import type { ResolvedInboxOptions } from '../resolve-inbox-options.ts'
import { jobKey, type StoredContext, type StoredDelivery } from '../stored-records.ts'
import type { UnknownEvent, WebhookEvent } from '../webhook-event.ts'

/** Polls of an unexpected job that the service does not have, until its delivery is dropped. */
const MISSING_POLLS = 3

/** Longest wait between two polls of a job whose delivery came before its end. */
const MAX_WAIT_MS = 10_000

/** The parts of an inbox that confirm a result. */
interface Core {
  options: ResolvedInboxOptions
  poller: JobPoller | undefined
  queues: InboxQueues
}

/** Whether the handler gets the result that the service has, and not the event of the delivery. */
export function needsPoll({ options, poller }: Core, { source, token, event, isConfirmed }: StoredDelivery): boolean {
  if (source === 'poll' || isConfirmed) return false
  if (options.trust === 'verify' || token === 'expired') return true
  // A forged result must not become a dead letter that hides the real result.
  return poller !== undefined && findOutputProblem(options.allowedOutputHosts, event) !== undefined
}

/** A delivery to confirm. */
export interface Unconfirmed {
  delivery: StoredDelivery
  /** Number of this attempt, from 1. Attempts that ended with {@link RetryAfterError} do not count. */
  attempt: number
  /** Number of this run of the task, from 1. */
  fence: number
}

/**
 * Returns the event that the handler gets for a delivery.
 *
 * @returns undefined for a delivery to drop: the service does not have its job, or does not confirm its unknown status
 * @throws RetryAfterError while the service says that the job runs, or cannot be reached
 * @throws NonRetriableError when the delivery can never be confirmed
 */
export async function confirmResult(core: Core, unconfirmed: Unconfirmed): Promise<WebhookEvent | undefined> {
  const { delivery, attempt, fence } = unconfirmed
  const { event, receivedAt } = delivery
  if (!needsPoll(core, delivery)) return event
  const { poller, options, queues } = core
  if (poller === undefined)
    throw new NonRetriableError('unconfirmed', 'The inbox has no client to confirm a result with.')
  const polled = await poller.poll(event.job_id)
  if (polled.kind === 'unreachable') throw new RetryAfterError(polled.retryInMs)
  if (polled.kind === 'rejected') throw new NonRetriableError('unconfirmed', String(polled.error))
  if (polled.kind === 'job') {
    const confirmed = eventOfJob(event.job_id, polled.job, event)
    if (confirmed !== undefined) return confirmed
    if (event.status === 'unknown') {
      await expectFromNow(core, event.job_id)
      return undefined
    }
  }
  if (polled.kind === 'job' || (await queues.expected.get(jobKey(event.job_id))) !== undefined) {
    const ageMs = options.clock.now() - receivedAt
    if (ageMs < options.giveUpAfterMs) throw new RetryAfterError(Math.min(MAX_WAIT_MS, 1_000 * fence))
    throw new NonRetriableError('unconfirmed', `The service does not confirm the delivery of the job ${event.job_id}.`)
  }
  if (attempt < MISSING_POLLS) throw polled.error
  return undefined
}

/** Expects a job that runs: it is polled later when no delivery comes. */
export async function expectFromNow({ queues, options }: Core, jobId: string): Promise<void> {
  const context: StoredContext = { notedAt: options.clock.now() }
  await queues.expected.add(jobKey(jobId), context, options.expectedAfterMs)
}

/**
 * Checks the links of an event against `allowedOutputHosts`.
 *
 * @returns why no handler may get the event; undefined when it may
 */
export function findOutputProblem(
  allowedHosts: readonly string[] | undefined,
  event: WebhookEvent,
): string | undefined {
  if (allowedHosts === undefined) return undefined
  const [found] = checkOutputUrls(withOutput(event), { allowedHosts })
  return found && `The URL of item ${found.index} of the output must not be fetched: ${found.problem}.`
}

/** Events of unknown status can have an output, too. */
function withOutput(event: WebhookEvent): WebhookEvent {
  if (event.status !== 'unknown') return event
  const { items } = Object(event.payload.output) as { items?: unknown }
  if (!Array.isArray(items)) return event
  const linked = items.filter((item) => Object(item).url !== undefined)
  return { job_id: event.job_id, status: 'succeeded', output: { type: 'unknown', items: linked } }
}

/**
 * Creates the event of a job that was polled.
 *
 * @param delivered the event of a delivery. Its `credits_used` and `completed_at`, which only deliveries have, are copied, unless
 * its output differs from that of the job: then the delivery is forged
 * @returns undefined while the job has not ended (section 3: unknown statuses count as not finished)
 */
export function eventOfJob(jobId: string, job: Job, delivered?: WebhookEvent): WebhookEvent | undefined {
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
  if (job.status === 'cancelled') return unknownEvent(jobId, job)
  if (job.status === 'failed') {
    const error = job.error ?? { code: 'UNKNOWN', message: 'The service gave no reason.' }
    return { job_id: jobId, status: 'failed', error }
  }
  if (asKnownStatus(job.status) !== 'succeeded') return undefined
  const { output } = job
  return output === undefined ? unknownEvent(jobId, job) : { job_id: jobId, status: 'succeeded', output }
}

/** A delivery of an unknown status is confirmed when the job has an unknown status, too. */
function newerStatus(jobId: string, job: Job): UnknownEvent | undefined {
  return ['queued', 'processing'].includes(job.status) ? undefined : unknownEvent(jobId, job)
}

function unknownEvent(jobId: string, job: Job): UnknownEvent {
  return { status: 'unknown', job_id: jobId, reported_status: job.status, payload: { ...job } }
}

/** Result of a poll. */
type PolledJob =
  | { kind: 'job'; job: Job }
  /** The service does not have the job (404). */
  | { kind: 'missing'; error: unknown }
  /** The service is down, limits the rate, or rejects the API key, which an operator has to fix. Or a gateway responds. */
  | { kind: 'unreachable'; error: unknown; retryInMs: number }
  /** The service rejects this job id. Another poll would not help. */
  | { kind: 'rejected'; error: unknown }

/** Polls jobs, with at most one request for a job at a time. */
export interface JobPoller {
  poll(jobId: string): Promise<PolledJob>
}

/** The wait after a failed poll is as long as the outage so far, within these limits. They also apply to `Retry-After`. */
const OUTAGE = { minMs: 1_000, maxMs: 300_000 } as const

export function createJobPoller({ jobs }: JobReader, clock: Clock): JobPoller {
  const inFlight = new Map<string, Promise<PolledJob>>()
  let outageSince: number | undefined

  async function read(jobId: string): Promise<PolledJob> {
    try {
      const job = await jobs.get(jobId)
      outageSince = undefined
      return { kind: 'job', job }
    } catch (error) {
      return failedPoll(error)
    }
  }

  /** Any client may be plugged in, also one that has no time limit of its own. */
  function readInTime(jobId: string): Promise<PolledJob> {
    const onLate = () => failedPoll(new Error(`The client did not read the job ${jobId} in time.`))
    return withTimeLimit(read(jobId), { clock, limitMs: OUTAGE.maxMs, onLate })
  }

  function failedPoll(error: unknown): PolledJob {
    const { status, retryAfterMs } = error instanceof ModelRunError ? error : {}
    // A response that cannot be read, such as the page of a gateway, says nothing about the job.
    if (error instanceof ApiError && status !== undefined && !isTransient(status) && !isKeyRejection(status)) {
      outageSince = undefined
      return { kind: status === 404 ? 'missing' : 'rejected', error }
    }
    outageSince ??= clock.now()
    const lastedMs = clock.now() - outageSince
    const retryInMs = Math.min(OUTAGE.maxMs, Math.max(OUTAGE.minMs, lastedMs, retryAfterMs ?? 0))
    return { kind: 'unreachable', error, retryInMs }
  }

  return {
    poll: (jobId) => {
      const polling = inFlight.get(jobId) ?? readInTime(jobId).finally(() => inFlight.delete(jobId))
      inFlight.set(jobId, polling)
      return polling
    },
  }
}
