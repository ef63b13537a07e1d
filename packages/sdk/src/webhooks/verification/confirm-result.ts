import { Again, Permanent } from '../engine/task-ends.ts'
import type { InboxCore } from '../inbox-core.ts'
import { jobKey } from '../delivery/record-key.ts'
import type { StoredContext, StoredDelivery } from '../delivery/stored-delivery.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { eventOfJob } from './event-of-job.ts'
import { outputProblem } from './output-problem.ts'

/** Polls of a job that the service does not have and that nobody expected, until its delivery is dropped. */
const MISSING_POLLS = 3

/** Longest wait between two polls of a job whose delivery came before its end. */
const LONGEST_WAIT_MS = 10_000

/** Whether the service decides what a handler gets. */
export function needsPoll(core: InboxCore, { source, token, event, isConfirmed }: StoredDelivery): boolean {
  if (source === 'poll' || isConfirmed) return false
  if (core.options.trust === 'verify' || token === 'expired') return true
  // A forged result must not become the dead letter that hides the real one.
  return core.poller !== undefined && outputProblem(core, event) !== undefined
}

/** A result to confirm. */
export interface Unconfirmed {
  delivery: StoredDelivery
  /** Number of this attempt, from 1; polls that had to wait do not count. */
  attempt: number
  /** Number of this run of the task, from 1. */
  fence: number
  /** Whether `expect` knows the job. */
  isExpected: boolean
}

/**
 * Finds out what a handler may get of a delivery.
 *
 * @returns undefined when it is dropped: the service does not have the job, which is not expected, or its status
 * @throws Again while the service says that the job runs, or cannot be asked
 * @throws Permanent when the job can never be confirmed
 */
export async function confirmResult(core: InboxCore, unconfirmed: Unconfirmed): Promise<WebhookEvent | undefined> {
  const { delivery, attempt, fence, isExpected } = unconfirmed
  const { event, receivedAt } = delivery
  if (!needsPoll(core, delivery)) return event
  if (core.poller === undefined) throw new Permanent('unconfirmed', 'The inbox has no client to confirm a result with.')
  const polled = await core.poller.poll(event.job_id)
  if (polled.kind === 'unreachable') throw new Again(polled.retryInMs)
  if (polled.kind === 'rejected') throw new Permanent('unconfirmed', String(polled.error))
  const confirmed = polled.kind === 'job' ? eventOfJob(event.job_id, polled.job, event) : undefined
  if (confirmed !== undefined) return confirmed
  if (polled.kind === 'job' && event.status === 'unknown') {
    // A status that the service does not confirm: its job is polled as any other that is expected.
    const context: StoredContext = { notedAt: core.options.clock.now() }
    await core.queues.expected.add(jobKey(event.job_id), context, core.options.expectedAfterMs)
    return undefined
  }
  const ageMs = core.options.clock.now() - receivedAt
  if (polled.kind === 'job' || isExpected) {
    if (ageMs < core.options.giveUpAfterMs) throw new Again(Math.min(LONGEST_WAIT_MS, 1_000 * fence))
    throw new Permanent('unconfirmed', `The service does not confirm the delivery of the job ${event.job_id}.`)
  }
  if (polled.kind === 'missing' && attempt < MISSING_POLLS) throw polled.error
  return undefined
}
