import type { Task } from '../engine/inbox-engine.ts'
import { Again } from '../engine/task-ends.ts'
import type { InboxCore } from '../inbox-core.ts'
import { eventKey, jobKey } from '../delivery/record-key.ts'
import { readStoredDelivery, type StoredContext, type StoredDelivery } from '../delivery/stored-delivery.ts'
import { eventOfJob } from './event-of-job.ts'
import type { MissingJobs } from './missing-jobs.ts'

/** Polls of an unverified delivery whose job the service does not have, until it is dropped. */
export const UNVERIFIED_ATTEMPTS = 3

/**
 * Asks the service about a delivery that anybody may have sent: the result of a job that has ended is handled, a job
 * that runs is expected from now on, and a job that the service does not have is dropped. A task of the queue
 * `unverified`.
 */
export async function checkUnverified(core: InboxCore, task: Task, missing: MissingJobs): Promise<undefined> {
  const { queues, poller, options, hooks } = core
  const delivery = readStoredDelivery(task.data)
  if (delivery === undefined || poller === undefined) return undefined
  const jobId = delivery.event.job_id
  const isKnown = (await queues.results.get(eventKey(delivery.event))) !== undefined
  if (isKnown || missing.has(jobId)) return undefined
  const polled = await poller.poll(jobId)
  if (polled.kind === 'unreachable') throw new Again(polled.retryInMs)
  if (polled.kind === 'job') {
    const event = eventOfJob(jobId, polled.job, delivery.event)
    if (event === undefined) {
      const context: StoredContext = { notedAt: options.clock.now() }
      await queues.expected.add(jobKey(jobId), context, options.expectedAfterMs)
    } else {
      const confirmed: StoredDelivery = { ...delivery, isConfirmed: true, event }
      await queues.results.add(eventKey(event), confirmed)
    }
    return undefined
  }
  if (polled.kind === 'missing' && task.attempt < UNVERIFIED_ATTEMPTS) throw polled.error
  missing.add(jobId)
  hooks.metric('rejected', jobId)
  return undefined
}
