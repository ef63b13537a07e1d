import { backoffMs, jitter } from '../../backoff.ts'
import type { Json, Task } from '../engine/inbox-engine.ts'
import { Again, Permanent } from '../engine/task-ends.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-errors.ts'
import type { LostJob } from '../inbox-notices.ts'
import { eventKey, jobIdOfKey } from '../record-key.ts'
import { readStoredContext, type StoredContext, type StoredDelivery } from '../stored-delivery.ts'
import { eventOfJob } from '../trust/event-of-job.ts'
import { hasResult } from './check-expected.ts'

/** Polls of an expected job that the service does not have, until it is given up. */
export const OVERDUE_ATTEMPTS = 3

/** Waits between two polls of an overdue job: twice as long each time, within these. */
const WAIT = { firstMs: 60_000, maxMs: 15 * 60_000 } as const

/** Polls a job whose delivery is overdue. A task of the queue `overdue`. */
export async function pollOverdue(core: InboxCore, task: Task): Promise<Json | undefined> {
  const { queues, poller, options } = core
  const jobId = jobIdOfKey(task.id)
  if (await hasResult(queues, task.id)) return undefined
  const expected = readStoredContext(task.data) ?? { notedAt: options.clock.now() }
  const leftMs = expected.notedAt + options.giveUpAfterMs - options.clock.now()
  const isOver = leftMs <= 0
  if (poller === undefined) {
    if (isOver) throw giveUp(core, { jobId, reason: 'gave_up', expected })
    throw new Again(leftMs)
  }
  const polled = await poller.poll(jobId)
  if (polled.kind === 'job') {
    const event = eventOfJob(jobId, polled.job)
    if (event !== undefined) {
      const found: StoredDelivery = { source: 'poll', token: 'none', event, receivedAt: options.clock.now() }
      await queues.results.add(eventKey(event), found)
      core.hooks.metric('reconciled', jobId)
      core.hooks.notify('onWebhookMissed', { jobId, event, context: expected.context })
      return undefined
    }
  }
  if (polled.kind === 'missing' && task.attempt < OVERDUE_ATTEMPTS) throw polled.error
  if (polled.kind === 'missing' || polled.kind === 'rejected')
    throw giveUp(core, { jobId, reason: 'not_found', expected })
  if (isOver) throw giveUp(core, { jobId, reason: 'gave_up', expected })
  if (polled.kind === 'unreachable') throw new Again(polled.retryInMs)
  // By the runs of the task and not by its age: the clocks of processes differ.
  const baseMs = Math.min(WAIT.firstMs, options.expectedAfterMs)
  const waitMs = backoffMs(task.fence, { baseMs, maxMs: WAIT.maxMs })
  throw new Again(Math.min(leftMs, jitter(waitMs, [0.8, 1.2])))
}

interface GivenUp {
  jobId: string
  reason: LostJob['reason']
  expected: StoredContext
}

function giveUp({ hooks, followers }: InboxCore, { jobId, reason, expected }: GivenUp): Permanent {
  const why = reason === 'not_found' ? 'the service does not have it' : 'it has not ended in time'
  const message = `The job ${jobId} was given up: ${why}.`
  hooks.metric('dead', jobId)
  hooks.notify('onLost', { jobId, reason, context: expected.context })
  followers.lost(jobId, new JobLostError({ message, jobId }))
  return new Permanent(reason, message)
}
