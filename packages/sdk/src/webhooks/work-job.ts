import type { DiedTask, Json, Task } from '@modelrun/kit'
import { copyJson, isNonRetriable, isRetryAfter, NonRetriableError, RetryAfterError, stableJson } from '@modelrun/kit'
import { abortable, linkController, startTimer } from '../shared/clock.ts'
import { claimUrl } from './callback-runs.ts'
import type { InboxCore } from './inbox-core.ts'
import type { DeliveryContext } from './inbox-options.ts'
import { hasEndDelivery, type JobTask, readEnd } from './read-end.ts'
import { contextOf, endsJob, handled, heard, jobIdOfKey, jobKey, putJob, readStoredJob } from './stored-job.ts'
import type { WebhookEvent } from './webhook-event.ts'

interface HandlerRun extends JobTask {
  event: WebhookEvent
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** Works the task of a job: reads how the job ended, and runs the user's handler. */
export async function workJob(core: InboxCore, task: Task): Promise<Json | undefined> {
  const job = readStoredJob(task.data)
  const key = jobKey(jobIdOfKey(task.id))
  if (job === undefined) throw new NonRetriableError('unreadable', 'The engine has a task that cannot be read.')
  if (task.id !== key) return await moveOldEvent(core, { task, job })
  if (!hasEndDelivery(job)) task.afterEnd(() => void core.background.track(workNews(core, { task, job })))
  const event = await readEnd(core, { task, job })
  if (event === undefined) return drop(core, task)
  const ownsUrl = job.ref === undefined || (await claimUrl(core, job.ref, key))
  if (!ownsUrl && core.options.client === undefined) return drop(core, task)
  const run: HandlerRun = { task, job, event, context: await contextOf(core.queues, key, job) }
  await handleEvent(core, run)
  if (!endsJob(event)) return await waitForEnd(core, run)
  task.afterEnd(() => core.subscribers.ended(event))
  // Other processes that wait for the job read the event from the result of the task.
  return stableJson(event) === stableJson(job.event) ? undefined : { event: event as unknown as Json }
}

/** Makes the task due for a delivery that came while it ran, such as during a poll: its delivery made only a task due that waits. */
async function workNews({ queues }: InboxCore, { task, job }: JobTask): Promise<void> {
  const { state, data } = (await queues.jobs.get(task.id).catch(() => undefined)) ?? {}
  const news = readStoredJob(data)
  if (state !== 'waiting' || news === undefined || stableJson(news.event) === stableJson(job.event)) return
  await queues.jobs.update(task.id, news).catch(() => {})
}

/** Version 0.1.0 had tasks for events of unknown status. Now they are news for the task of their job. */
async function moveOldEvent(core: InboxCore, { task, job }: JobTask): Promise<Json> {
  const key = jobKey(jobIdOfKey(task.id))
  await putJob(core.queues, { key, change: heard(job) }, await core.queues.jobs.get(key))
  return drop(core, task)
}

async function handleEvent(core: InboxCore, run: HandlerRun): Promise<void> {
  const { hooks, subscribers, options } = core
  const { task, job, event, context } = run
  const jobId = event.job_id
  if (isMissed(run)) {
    await core.queues.jobs.update(task.id, { ...job, source: 'poll', event })
    hooks.notify('onWebhookMissed', { jobId, event, context })
  }
  // From here on the user's code runs.
  if (!(await task.markStarted())) throw new RetryAfterError(0)
  const hasSubscriber = subscribers.confirmed(event)
  await runHandler(core, run)
  // An expected run may be asked for its result later.
  const isUnused = !hasSubscriber && !job.isExpected && context === undefined
  if (isUnused && event.status === 'succeeded' && options.handlers.onSucceeded === undefined) {
    hooks.warnOnce('unhandled', jobId)
  }
}

/** The task of the job waits on: another event follows. */
async function waitForEnd({ queues }: InboxCore, { task, event }: HandlerRun): Promise<never> {
  const change = handled(statusOf(event) ?? '')
  await putJob(queues, { key: task.id, change }, await queues.jobs.get(task.id))
  throw new RetryAfterError(0)
}

function statusOf(event: WebhookEvent): string | undefined {
  return event.status === 'unknown' ? event.reported_status : event.status
}

/** How long the task of a dropped delivery stays, so that deliveries of the same kind cost no polls. */
const DROPPED_MS = 10 * 60_000

function drop({ queues, background, options }: InboxCore, { id }: Task): Json {
  startTimer(options.backgroundClock, DROPPED_MS, () => void background.track(queues.jobs.remove(id)).catch(() => {}))
  return { isDropped: true }
}

/** Whether a poll found the end of the job, and no delivery. */
function isMissed({ job, event }: HandlerRun): boolean {
  return endsJob(event) && !hasEndDelivery(job)
}

/** Runs the handler until it returns, or until the signal of its task aborts. */
async function runHandler(core: InboxCore, run: HandlerRun): Promise<void> {
  const { task } = run
  const { signal: draining } = core.aborting
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
  const { task, job } = run
  // Callers get copies: what they change changes no result.
  const event = copyJson(run.event)
  const context: DeliveryContext = {
    // Also the runs whose process died.
    attempt: task.attempt + task.lost,
    signal,
    fence: task.fence,
    idempotencyKey: endsJob(event) ? task.id : `${task.id}?${statusOf(event)}`,
    source: isMissed(run) ? 'poll' : (job.source ?? 'poll'),
    context: copyJson(run.context),
  }
  if (event.status === 'succeeded') await onSucceeded?.(event, context)
  else if (event.status === 'failed') await onFailed?.(event, context)
  else await onUnknown?.(event, context)
}

/** What to throw for the engine after the handler threw. */
function endOfRun(core: InboxCore, run: HandlerRun, error: unknown): unknown {
  const { aborting, hooks, options } = core
  const { task, event, context } = run
  // `drain` aborted the handler: another process runs it, or this one after its restart.
  if (aborting.signal.aborted) return new RetryAfterError(0)
  // The lock was lost: another worker has the task, and the handler did not fail.
  if (task.signal.aborted && task.signal.reason.name !== 'TimeoutError') return error
  // The handler was not ready, and did not fail.
  if (isRetryAfter(error)) return error
  const isLast = isNonRetriable(error) || task.attempt >= options.maxAttempts
  const attempt = task.attempt + task.lost
  hooks.notify('onHandlerError', { event, attempt, error, isLast })
  if (!isLast) return error
  // A caller that is notified finds the dead letter.
  task.afterEnd(() => {
    hooks.notify('onDead', { jobId: event.job_id, event, attempt, error, context })
    core.subscribers.ended(event)
  })
  return error
}

/** Reports a result whose handler ended too many processes. Its engine has made the task dead. */
export async function reportProcessDied(core: InboxCore, { id, data, runs }: DiedTask): Promise<void> {
  const job = readStoredJob(data)
  const jobId = jobIdOfKey(id)
  const error = new NonRetriableError('process_died', `Each process that handled the job ${jobId} died.`)
  const context = await contextOf(core.queues, jobKey(jobId), job).catch(() => undefined)
  core.hooks.notify('onDead', { jobId, event: job?.event, attempt: runs, error, context })
}
