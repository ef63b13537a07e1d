import type { Task } from '@modelrun/kit'
import { NewestMap, RetryAfterError } from '@modelrun/kit'
import type { Clock } from '../../shared/clock.ts'
import type { InboxCore } from '../inbox-core.ts'
import { eventKey, readStoredDelivery, type StoredDelivery } from '../stored-records.ts'
import { eventOfJob, expectFromNow } from './confirm-result.ts'

/** Polls of a job that the service does not have, until its unverified delivery is dropped. */
export const UNVERIFIED_ATTEMPTS = 3

/**
 * Works a task of the queue `unverified`: polls the job of a delivery from an unverified sender. A job that has ended gets a
 * result, a job that runs is expected from now on, and the delivery of a missing job is dropped.
 */
export async function checkUnverified(core: InboxCore, task: Task, missing: MissingJobs): Promise<undefined> {
  const { queues, poller, hooks } = core
  const delivery = readStoredDelivery(task.data)
  if (delivery === undefined || poller === undefined) return undefined
  const jobId = delivery.event.job_id
  const hasResult = (await queues.results.get(eventKey(delivery.event))) !== undefined
  if (hasResult || missing.has(jobId)) return undefined
  const polled = await poller.poll(jobId)
  if (polled.kind === 'unreachable') throw new RetryAfterError(polled.retryInMs)
  if (polled.kind === 'job') {
    const event = eventOfJob(jobId, polled.job, delivery.event)
    const confirmed = event && ({ ...delivery, isConfirmed: true, event } satisfies StoredDelivery)
    await (confirmed ? queues.results.add(eventKey(confirmed.event), confirmed) : expectFromNow(core, jobId))
    return undefined
  }
  if (polled.kind === 'missing' && task.attempt < UNVERIFIED_ATTEMPTS) throw polled.error
  missing.add(jobId)
  hooks.metric('rejected', jobId)
  return undefined
}

/** Ids of jobs that the service does not have: further deliveries of them are not polled. */
export interface MissingJobs {
  add(jobId: string): void
  has(jobId: string): boolean
}

const REMEMBERED_MS = 10 * 60_000
const MAX_JOBS = 1_000

/** Remembers the latest 1,000 missing jobs, each for ten minutes. */
export function createMissingJobs(clock: Clock): MissingJobs {
  const endsAt = new NewestMap<string, number>(MAX_JOBS)
  return {
    add: (jobId: string) => {
      endsAt.set(jobId, clock.now() + REMEMBERED_MS)
    },
    has: (jobId: string) => (endsAt.get(jobId) ?? 0) > clock.now(),
  }
}
