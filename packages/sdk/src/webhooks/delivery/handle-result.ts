import {
  type DiedTask,
  isNonRetriable,
  isRetryAfter,
  type Json,
  NonRetriableError,
  RetryAfterError,
  type Task,
} from '@modelrun/kit'
import { abortable, linkController, startTimer, toBackgroundClock } from '../../shared/clock.ts'
import { bindToJob, contextOf } from '../expected/prepared-runs.ts'
import type { InboxCore } from '../inbox-core.ts'
import { JobLostError } from '../inbox-notices.ts'
import type { DeliveryContext } from '../inbox-options.ts'
import { eventKey, readStoredDelivery, type StoredDelivery } from '../stored-records.ts'
import { confirmResult, findOutputProblem, needsPoll } from '../verification/confirm-result.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** A confirmed result, and what its handler gets. */
interface HandlerRun {
  task: Task
  event: WebhookEvent
  source: DeliveryContext['source']
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** Works a task of the queue `results`: confirms the result of a job, and runs the user's handler. */
export async function handleResult(core: InboxCore, task: Task): Promise<Json | undefined> {
  const { queues, hooks, subscribers } = core
  const delivery = readStoredDelivery(task.data)
  if (delivery === undefined)
    throw new NonRetriableError('unreadable', 'The engine has a delivery that cannot be read.')
  const { source, ref } = delivery
  const jobId = delivery.event.job_id
  if (task.lost > 0) hooks.metric('retaken', jobId)
  const event = await confirm(core, task, delivery)
  if (event === undefined) return drop(core, task)
  const key = eventKey(event)
  if (key !== task.id) {
    // The delivery has an unknown status, and the service has the result of the job.
    const result: StoredDelivery = { ...delivery, source: 'poll', event }
    await queues.results.add(key, result)
    return { isDropped: true }
  }
  const ownsUrl = ref === undefined || (await bindToJob(queues, ref, jobId))
  if (!ownsUrl && !needsPoll(core, delivery)) {
    hooks.metric('rejected', jobId)
    return drop(core, task)
  }
  // A confirmed result must not get the context of another job whose URL it came to.
  const known = await contextOf(queues, { jobId, ref: ownsUrl ? ref : undefined })
  const run: HandlerRun = { task, event, source, context: known?.context }
  const problem = findOutputProblem(core.options.allowedOutputHosts, event)
  if (problem !== undefined) throw reportDead(core, run, new NonRetriableError('forbidden_host', problem))
  const hasSubscriber = subscribers.confirmed(event)
  await runHandler(core, run)
  hooks.metric('completed', jobId)
  // An expected run may be asked for its result later.
  if (!hasSubscriber && known === undefined) hooks.warnUnhandled(event)
  subscribers.ended(event)
  // Other processes that wait for the job read the event from the result of the task.
  return JSON.stringify(event) === JSON.stringify(delivery.event) ? undefined : { event: event as unknown as Json }
}

async function confirm(core: InboxCore, task: Task, delivery: StoredDelivery): Promise<WebhookEvent | undefined> {
  const { hooks, subscribers } = core
  const { event, source } = delivery
  const jobId = event.job_id
  try {
    const confirmed = await confirmResult(core, { delivery, attempt: task.attempt, fence: task.fence })
    if (confirmed === undefined) hooks.metric('rejected', jobId)
    return confirmed
  } catch (error) {
    if (error instanceof NonRetriableError) {
      // Waits for the job get the error: an unconfirmed event does not count.
      subscribers.lost(jobId, new JobLostError({ message: error.message, jobId }))
      notifyDead(core, { task, event, source, context: undefined }, error)
    }
    throw error
  }
}

/** When the task of a dropped delivery is removed, so that the real delivery of its job can be added. */
const DROPPED_MS = 1_000

function drop({ queues, background, options }: InboxCore, { id }: Task): Json {
  startTimer(toBackgroundClock(options.clock), DROPPED_MS, () => {
    void background.track(queues.results.remove(id)).catch(() => {})
  })
  return { isDropped: true }
}

/** Runs the handler until it returns, or until the signal of its task aborts. */
async function runHandler(core: InboxCore, run: HandlerRun): Promise<void> {
  const { task } = run
  const { signal: draining } = core.aborting
  // After a stall of the process, another worker may have the task, although no timer has aborted the signal yet.
  if (task.msLeft() <= 0) throw new RetryAfterError(0)
  const linked = linkController(task.signal)
  const stop = () => linked.abort(draining.reason)
  if (draining.aborted) stop()
  draining.addEventListener('abort', stop)
  try {
    await abortable(callHandler(core, run, linked.signal), task.signal)
  } catch (error) {
    throw endOfRun(core, run, error)
  } finally {
    draining.removeEventListener('abort', stop)
    linked.release()
  }
}

async function callHandler({ options }: InboxCore, run: HandlerRun, signal: AbortSignal): Promise<void> {
  const { onSucceeded, onFailed, onUnknown } = options.handlers
  const { task, event, source, context: userContext } = run
  const context: DeliveryContext = {
    attempt: attemptsOf(task),
    signal,
    fence: task.fence,
    idempotencyKey: task.id,
    source,
    context: userContext,
  }
  if (event.status === 'succeeded') await onSucceeded?.(event, context)
  else if (event.status === 'failed') await onFailed?.(event, context)
  else await onUnknown?.(event, context)
}

/** Runs of the handler for this task, including the runs whose process died. */
function attemptsOf({ attempt, lost }: Task): number {
  return attempt + lost
}

/** What to throw for the engine after the handler threw. */
function endOfRun(core: InboxCore, run: HandlerRun, error: unknown): unknown {
  const { aborting, hooks, options } = core
  const { task, event } = run
  // `drain` aborted the handler: another process runs it, or this one after its restart.
  if (aborting.signal.aborted) return new RetryAfterError(0)
  // The lock was lost: another worker has the task, and the handler did not fail.
  if (task.signal.aborted && task.signal.reason.name !== 'TimeoutError') return error
  // The handler was not ready, and did not fail.
  if (isRetryAfter(error)) return error
  const isLast = isNonRetriable(error) || task.attempt >= options.maxAttempts
  hooks.metric('failed', event.job_id)
  hooks.notify('onHandlerError', { event, attempt: attemptsOf(task), error, isLast })
  if (isLast) reportDead(core, run, error)
  return error
}

/** Reports a confirmed result whose handler failed for good. Waits for the job get the event. Returns the error. */
function reportDead(core: InboxCore, run: HandlerRun, error: unknown): unknown {
  notifyDead(core, run, error)
  core.subscribers.ended(run.event)
  return error
}

function notifyDead({ hooks }: InboxCore, { task, event, context }: HandlerRun, error: unknown): void {
  hooks.metric('dead', event.job_id)
  hooks.notify('onDead', { jobId: event.job_id, event, attempt: attemptsOf(task), error, context })
}

/** Reports a result whose handler ended too many processes. Its engine has made the task dead. */
export async function reportProcessDied(core: InboxCore, { data, runs }: DiedTask): Promise<void> {
  const delivery = readStoredDelivery(data)
  if (delivery === undefined) return
  const { event } = delivery
  const jobId = event.job_id
  const known = await contextOf(core.queues, { jobId, ref: delivery.ref }).catch(() => undefined)
  const error = new NonRetriableError('process_died', `Each process that handled the job ${jobId} died.`)
  core.hooks.metric('dead', jobId)
  core.hooks.notify('onDead', { jobId, event, attempt: runs, error, context: known?.context })
}
