import { abortable, linkController } from '../../abort.ts'
import { startTimer } from '../../clock.ts'
import { toBackgroundClock } from '../workers/background-clock.ts'
import type { Json, Task } from '../engine/inbox-engine.ts'
import { Again, isAgain, Permanent } from '../engine/task-ends.ts'
import type { InboxCore } from '../inbox-core.ts'
import { isPermanentError, JobLostError } from '../inbox-errors.ts'
import { eventKey, jobKey } from './record-key.ts'
import { readStoredDelivery, type StoredDelivery } from './stored-delivery.ts'
import { confirmResult, needsPoll } from '../verification/confirm-result.ts'
import { outputProblem } from '../verification/output-problem.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { bindToJob, contextOf } from '../expected/context-of.ts'
import { runHandler } from './run-handler.ts'

/** Handles the result of a job: confirms it, and runs the user's handler. A task of the queue `results`. */
export async function handleResult(core: InboxCore, task: Task): Promise<Json | undefined> {
  const delivery = readStoredDelivery(task.data)
  if (delivery === undefined)
    throw new Permanent('unreadable', 'What the engine keeps of the delivery is not readable.')
  if (task.lost > 0) core.hooks.metric('retaken', delivery.event.job_id)
  const event = await confirm(core, task, delivery)
  if (event === undefined) return drop(core, task)
  const key = eventKey(event)
  if (key !== task.id) {
    // The delivery has a status that is not known here; the service says how the job ended.
    const confirmed: StoredDelivery = { ...delivery, source: 'poll', event }
    await core.queues.results.add(key, confirmed)
    return { isDropped: true }
  }
  return await handle(core, { task, delivery, event })
}

async function confirm(core: InboxCore, task: Task, delivery: StoredDelivery): Promise<WebhookEvent | undefined> {
  const { event } = delivery
  try {
    const isExpected = (await core.queues.expected.get(jobKey(event.job_id))) !== undefined
    const confirmed = await confirmResult(core, { delivery, attempt: task.attempt, fence: task.fence, isExpected })
    if (confirmed === undefined) core.hooks.metric('rejected', event.job_id)
    return confirmed
  } catch (error) {
    if (error instanceof Permanent) {
      // What is not confirmed counts for nothing: nothing that waits for the job gets it.
      const { message } = error
      core.subscribers.lost(event.job_id, new JobLostError({ message, jobId: event.job_id }))
      notifyDead(core, { task, event, error, context: undefined })
    }
    throw error
  }
}

/** How soon the id of a dropped delivery is free, so that the true delivery of its job is taken. */
const DROPPED_MS = 1_000

function drop({ queues, tasks, options }: InboxCore, { id }: Task): Json {
  startTimer(toBackgroundClock(options.clock), DROPPED_MS, () => {
    void tasks.track(queues.results.remove(id)).catch(() => {})
  })
  return { isDropped: true }
}

interface Confirmed {
  task: Task
  delivery: StoredDelivery
  /** What the handler may get. */
  event: WebhookEvent
}

async function handle(core: InboxCore, confirmed: Confirmed): Promise<Json | undefined> {
  const { task, delivery, event } = confirmed
  const { ref } = delivery
  const isItsUrl = ref === undefined || (await bindToJob(core, ref, event.job_id))
  if (!isItsUrl && !needsPoll(core, delivery)) {
    core.hooks.metric('rejected', event.job_id)
    return drop(core, task)
  }
  // The service confirms the result, but the URL is that of another job: it must not lend it its context.
  const known = await contextOf(core, isItsUrl ? delivery : { ...delivery, ref: undefined })
  const context = known?.context
  const problem = outputProblem(core, event)
  if (problem !== undefined) {
    const error = new Permanent('forbidden_host', problem)
    reportDeath(core, { task, event, error, context })
    throw error
  }
  const hasSubscriber = core.subscribers.confirmed(event)
  await runOnce(core, { ...confirmed, context })
  core.hooks.metric('completed', event.job_id)
  // A run that was expected may be asked for its result later.
  if (!hasSubscriber && known === undefined) core.hooks.warnUnhandled(event)
  core.subscribers.ended(event)
  // Other processes that wait for the job read the event from here.
  return JSON.stringify(event) === JSON.stringify(delivery.event) ? undefined : { event: event as unknown as Json }
}

async function runOnce(core: InboxCore, confirmed: Confirmed & { context: unknown }): Promise<void> {
  const { aborting } = core
  const { task, delivery, event, context } = confirmed
  // A process that stood still comes here late, before any timer has aborted the signal: another may have the job by now.
  if (task.msLeft() <= 0) throw new Again(0)
  const linked = linkController(task.signal)
  const stop = () => linked.abort(aborting.signal.reason)
  if (aborting.signal.aborted) stop()
  aborting.signal.addEventListener('abort', stop)
  const { signal } = linked
  try {
    const run = runHandler(core, event, { task, source: delivery.source, context, signal })
    // What it does after `maxRunMs` does not count, and the user gets to know.
    await abortable(run, task.signal)
  } catch (error) {
    throw endOfRun(core, confirmed, error)
  } finally {
    aborting.signal.removeEventListener('abort', stop)
    linked.release()
  }
}

/** What the engine gets to know of a handler that threw. */
function endOfRun(
  core: InboxCore,
  { task, event, context }: Confirmed & { context: unknown },
  error: unknown,
): unknown {
  const { aborting, hooks, options } = core
  // Cut short by `drain`: another process runs it, or this one after its restart.
  if (aborting.signal.aborted) return new Again(0)
  // The lock was lost: another worker has the task, and the handler did not fail.
  if (task.signal.aborted && task.signal.reason.name !== 'TimeoutError') return error
  // The handler is not ready: nothing failed.
  if (isAgain(error)) return error
  const isPermanent = isPermanentError(error)
  const isLast = isPermanent || task.attempt >= options.maxAttempts
  hooks.metric('failed', event.job_id)
  hooks.notify('onHandlerError', { event, attempt: task.attempt + task.lost, error, isLast })
  if (isLast) reportDeath(core, { task, event, error, context })
  return isPermanent ? new Permanent('permanent', (error as Error).message, { cause: error }) : error
}

interface Death {
  task: Task
  event: WebhookEvent
  error: unknown
  context: unknown
}

function reportDeath(core: InboxCore, death: Death): void {
  notifyDead(core, death)
  core.subscribers.ended(death.event)
}

function notifyDead({ hooks }: InboxCore, { task, event, error, context }: Death): void {
  hooks.metric('dead', event.job_id)
  hooks.notify('onDead', { jobId: event.job_id, event, attempt: task.attempt + task.lost, error, context })
}
