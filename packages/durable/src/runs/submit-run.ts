import { isModelRunError } from 'modelrun'
import { Again } from 'modelrun/webhooks'
import type { Json, Task, TaskFailure } from '../engine/engine.ts'
import { pauseOnRefusal } from './pause-on-refusal.ts'
import { firstPollMs } from './poll-delay.ts'
import type { Prices } from './prices.ts'
import type { Outcome, SubmitData } from './run-types.ts'
import { asJson, fromJson, type RunsContext } from './runs-context.ts'
import { untilStored } from './until-stored.ts'

const OUTAGE_DELAY_MS = 2_000

/** A run whose process died so often is not sent again, whatever was chosen: it may be what ends processes. */
const RESUBMITS = 3

/**
 * Sends a run, at most once for a key. The lock of the task is the durable intent: a task whose process died may have
 * been sent, so it is not sent again.
 */
export async function submitRun(task: Task, prices: Prices, context: RunsContext): Promise<Json | undefined> {
  const data = fromJson<SubmitData>(task.data)
  if (task.lost > 0) {
    // The process died after it had noted what became of the run.
    if (await hasMovedOn(task, context)) return undefined
    if (context.onUnknown === 'park' || task.lost >= RESUBMITS) return park(task, context)
  }
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
  if (!isModelRunError(error)) return park(task, context)
  if (error.jobId !== undefined) return follow(task, error.jobId, context)
  if (error.submission === 'accepted' || error.submission === 'unknown') return park(task, context)
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
  const data = asJson({ model, jobId, submittedAt: Date.now() })
  await untilStored(() => engine.add(queues.follow, task.id, { data, delayMs: firstPollMs }), onError)
  return { jobId }
}

async function park(task: Task, { engine, queues, onError }: RunsContext): Promise<Json> {
  await untilStored(() => engine.add(queues.unknown, task.id, { data: task.data }), onError)
  return { unknown: true }
}

async function reject(task: Task, error: TaskFailure, { engine, queues, onError }: RunsContext): Promise<Json> {
  const outcome: Outcome = { state: 'rejected', error }
  await untilStored(() => engine.add(queues.outcomes, task.id, { data: asJson(outcome) }), onError)
  return { rejected: true }
}
