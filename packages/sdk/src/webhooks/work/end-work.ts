import type { InboxCore } from '../inbox-core.ts'
import { isPermanentError, JobLostError, LeaseLostError } from '../inbox-errors.ts'
import type { NextStep } from '../store/inbox-store.ts'
import type { StoredContext, StoredDelivery } from '../stored-delivery.ts'
import type { FailedLook } from '../trust/confirm-delivery.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { rerunDelayMs } from './backoff.ts'
import type { HeldLease } from './lease.ts'
import { type Persisted, persist } from './persist.ts'
import type { HandlerEnd } from './run-handler.ts'

/** What a store keeps of an error. */
const MAX_ERROR_LENGTH = 500

/** The work on one record. */
export interface Work {
  core: InboxCore
  held: HeldLease
  delivery: StoredDelivery
  context: StoredContext | undefined
  /** The event that handlers may see; undefined while nobody vouches for what was delivered. */
  confirmed: WebhookEvent | undefined
}

/** What came of the work on a record. */
export interface WorkOutcome {
  /** True when the job is done. */
  isCompleted?: boolean | undefined
  /** Milliseconds until the record should be claimed again. */
  rerunInMs?: number | undefined
  /** The event, when it was confirmed. */
  confirmed?: WebhookEvent | undefined
}

/** Ends the work after a run of its handler. */
export async function endRun(work: Work, event: WebhookEvent, end: HandlerEnd): Promise<WorkOutcome> {
  const { core, held } = work
  if (!end.isOk) return await endFailed(work, end.error, end.isCompleted)
  if (end.isCompleted) return endCompleted(work, event)
  const { keepDoneMs } = core.options
  const { result, error } = await persist(core, held, () => core.store.complete(held.lease, { keepMs: keepDoneMs }))
  if (result === 'ok') return endCompleted(work, event)
  const jobId = event.job_id
  const late = new LeaseLostError({ message: `The job ${jobId} was handled, and another worker has it too.`, jobId })
  report(work, error ?? late)
  return endLost(work)
}

/**
 * Ends the work with another try, or as a dead letter when there were enough.
 *
 * @param isCompleted True when the handler had marked the job as done before it failed
 */
export async function endFailed(work: Work, error: unknown, isCompleted?: boolean): Promise<WorkOutcome> {
  const { core, held, confirmed } = work
  const { attempt } = held.lease
  const { random, maxAttempts } = core.options
  const isEnding = core.aborting.signal.aborted
  if (isPermanentError(error) || (attempt >= maxAttempts && !isEnding)) return await endDead(work, error, isCompleted)
  // Another process may take it at once when this one ends.
  const inMs = isEnding ? 0 : rerunDelayMs(attempt, random)
  const isReleased = (await release(work, { kind: 'retry', inMs }, error)) === 'ok'
  report(work, error, isReleased ? inMs : undefined)
  return isReleased ? { rerunInMs: inMs, confirmed } : endUnreleased(work, isCompleted)
}

/** Ends the work as a dead letter. */
export async function endDead(work: Work, error: unknown, isCompleted?: boolean): Promise<WorkOutcome> {
  const { core, held, delivery, context, confirmed } = work
  const isReleased = (await release(work, { kind: 'dead', keepMs: core.options.keepDeadMs }, error)) === 'ok'
  report(work, error)
  if (!isReleased) return endUnreleased(work, isCompleted)
  const event = confirmed ?? delivery.event
  const jobId = event.job_id
  core.hooks.metric('dead', jobId)
  core.hooks.tell('onDead', { jobId, event, attempt: held.lease.attempt, error, context: context?.context })
  if (confirmed !== undefined) core.followers.ended(confirmed)
  else
    core.followers.lost(
      jobId,
      new JobLostError({ message: `The job ${jobId} was given up: ${describe(error)}`, jobId }),
    )
  return {}
}

/** Ends the work on a delivery that could not be confirmed. */
export async function endUnconfirmed(work: Work, next: NextStep, failure?: FailedLook): Promise<WorkOutcome> {
  const isReleased = (await release(work, next, failure?.error)) === 'ok'
  const rerunInMs = next.kind === 'retry' ? next.inMs : undefined
  if (failure !== undefined) {
    work.core.hooks.tell('onHandlerError', { event: work.delivery.event, ...failure, retryInMs: rerunInMs })
  }
  return isReleased ? { rerunInMs } : endLost(work)
}

/** Nobody may have it: so it is asked for again when the lease has surely ended. */
export function endLost({ held, confirmed }: Work): WorkOutcome {
  return { rerunInMs: Math.max(0, held.msLeft()), confirmed }
}

/** The transaction in which the job was marked as done was committed, or the lease is lost. */
function endUnreleased(work: Work, isCompleted: boolean | undefined): WorkOutcome {
  return isCompleted && work.confirmed !== undefined ? endCompleted(work, work.confirmed) : endLost(work)
}

function endCompleted({ core }: Work, event: WebhookEvent): WorkOutcome {
  core.hooks.metric('completed', event.job_id)
  core.followers.ended(event)
  return { isCompleted: true }
}

async function release({ core, held }: Work, next: NextStep, reason: unknown): Promise<Persisted> {
  const error = reason === undefined ? undefined : describe(reason)
  const { result } = await persist(core, held, () => core.store.release(held.lease, next, error))
  return result
}

/** What is thrown may be anything, also something that has no text. */
function describe(reason: unknown): string {
  try {
    return String(reason).slice(0, MAX_ERROR_LENGTH)
  } catch {
    return 'an error without a text'
  }
}

function report({ core, held, delivery, confirmed }: Work, error: unknown, retryInMs?: number): void {
  const { attempt } = held.lease
  core.hooks.tell('onHandlerError', { event: confirmed ?? delivery.event, attempt, error, retryInMs })
}
