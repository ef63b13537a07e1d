import { isModelRunError } from 'modelrun'
import type { Json, Task, TaskFailure } from '../engine/engine.ts'
import { Again, Permanent } from '../engine/task-ends.ts'
import { pauseOnRefusal } from './pause-on-refusal.ts'
import { firstPollMs } from './poll-delay.ts'
import type { Prices } from './prices.ts'
import type { Outcome, SubmitData } from './run-types.ts'
import { asJson, fromJson, type RunsContext } from './runs-context.ts'
import { untilStored } from './until-stored.ts'

const OUTAGE_DELAY_MS = 2_000

/** A lock that ends so soon may end before the store has what is added now. */
const SHORT_LOCK_MS = 2_000

/** A run whose process died so often is not sent again, whatever was chosen: it may be what ends processes. */
const RESUBMITS = 3

/**
 * Sends a run, at most once for a key. The lock of the task is the durable intent: a task whose process died may have
 * been sent, so it is not sent again.
 */
export async function submitRun(task: Task, prices: Prices, context: RunsContext): Promise<Json | undefined> {
  const data = fromJson<SubmitData>(task.data)
  // Its process died after it had noted what became of the run, or a user decided what became of it.
  if (task.fence > 1 && (await hasMovedOn(task, context))) return undefined
  if (task.lost > 0 && (context.onUnknown === 'park' || task.lost >= RESUBMITS)) throw park()
  const { engine, queues, maxCredits } = context
  let price = 0
  let isSent = false
  try {
    price = await prices.of(data.model)
    if ((await engine.tally(queues.credits, price, maxCredits)) === undefined) {
      const message = `The run costs ${price} credits, which is more than is left of maxCredits (${maxCredits}).`
      return await reject(task, { code: 'BUDGET_EXCEEDED', message }, context)
    }
    isSent = true
    const { id } = await context.client.submit(data.model, data.input)
    return await follow(task, id, context)
  } catch (error) {
    // The store failed before the run was sent.
    if (!isSent && !isModelRunError(error)) throw new Again(OUTAGE_DELAY_MS)
    return await afterFailure(error, { task, price }, context)
  }
}

async function hasMovedOn({ id }: Task, { engine, queues }: RunsContext): Promise<boolean> {
  const [followed, outcome] = await Promise.all([engine.get(queues.follow, id), engine.get(queues.outcomes, id)])
  return followed !== undefined || outcome !== undefined
}

async function afterFailure(
  error: unknown,
  { task, price }: { task: Task; price: number },
  context: RunsContext,
): Promise<Json | undefined> {
  if (!isModelRunError(error)) throw park(error)
  if (error.jobId !== undefined) return follow(task, error.jobId, context)
  if (error.submission === 'accepted' || error.submission === 'unknown') throw park(error)
  // Not sent, or rejected: nothing was charged.
  await context.engine.tally(context.queues.credits, -price)
  pauseOnRefusal(error, context)
  const isFinal = error.submission === 'rejected' || !error.isRetryable
  if (isFinal) return reject(task, { code: error.code, message: error.message }, context)
  // An outage of the service is not the fault of the run, however long it lasts.
  throw new Again(OUTAGE_DELAY_MS)
}

/** The service has the run: from here on its job must not be lost. */
async function follow(task: Task, jobId: string, { engine, queues, onError }: RunsContext): Promise<Json> {
  const { model } = fromJson<SubmitData>(task.data)
  const submittedAt = Date.now()
  const add = () => {
    // Another process may have parked the run, if this one stood still for longer than its lock.
    const mayBeUnknown = task.msLeft() < SHORT_LOCK_MS ? true : undefined
    return engine.add(queues.follow, task.id, {
      data: asJson({ model, jobId, submittedAt, mayBeUnknown }),
      delayMs: firstPollMs,
    })
  }
  await untilStored(add, onError)
  return { jobId }
}

/** A task that is dead waits for a decision, and is never sent again by itself. */
function park(cause?: unknown): Permanent {
  const reason = cause === undefined ? 'its process died while it was sent' : String(cause)
  return new Permanent('unknown', `The run may have been accepted: ${reason}`, { cause })
}

async function reject(task: Task, error: TaskFailure, { engine, queues, onError }: RunsContext): Promise<Json> {
  const outcome: Outcome = { state: 'rejected', error }
  await untilStored(() => engine.add(queues.outcomes, task.id, { data: asJson(outcome) }), onError)
  return { rejected: true }
}
