import { isModelRunError, type ModelRun } from 'modelrun'
import { Again, Permanent } from 'modelrun/webhooks'
import type { Json, Task, TaskFailure } from '../engine/engine.ts'
import { pauseOnRejection } from './pause-on-rejection.ts'
import { firstPollBesideWebhooksMs, firstPollMs } from './poll-delay.ts'
import { inboxContextOf, stopPolling } from './run-inbox.ts'
import type { Outcome, SubmitData } from './run-types.ts'
import { asJson, fromJson, type RunsContext, untilStored } from './runs-context.ts'

const OUTAGE_DELAY_MS = 2_000

/** A lock with less time left may end before the store has the job of the run. */
const SHORT_LOCK_MS = 2_000

/** Maximum number of times that a run is sent again with `resubmit`: it may be what ends the processes. */
const RESUBMITS = 3

/**
 * Works a task of the queue `submit`: sends a run, at most once for a key. A task whose process died may have been sent, so it is
 * not sent again.
 */
export async function submitRun(task: Task, prices: Prices, context: RunsContext): Promise<Json | undefined> {
  const data = fromJson<SubmitData>(task.data)
  // The process died after it had stored the job or the outcome of the run, or a user has named its job.
  if (task.fence > 1 && (await hasMovedOn(task, context))) return undefined
  if (task.lost > 0 && (context.onUnknown === 'park' || task.lost >= RESUBMITS)) throw park()
  const { engine, queues, inbox, maxCredits } = context
  let price = 0
  let isSent = false
  try {
    price = await prices.of(data.model)
    const webhook = await inbox?.prepare({ modelId: data.model, context: inboxContextOf(task.id) })
    if ((await engine.tally(queues.credits, price, maxCredits)) === undefined) {
      const message = `The run costs ${price} credits, which is more than is left of maxCredits (${maxCredits}).`
      return await reject(task, { code: 'BUDGET_EXCEEDED', message }, context)
    }
    isSent = true
    const { id } = await context.client.submit(data.model, data.input, webhook && { webhookUrl: webhook.url })
    return await startPolling(task, id, context)
  } catch (error) {
    // The store failed before the run was sent.
    if (!isSent && !isModelRunError(error)) throw new Again(OUTAGE_DELAY_MS)
    return await afterFailure(error, { task, price }, context)
  }
}

async function hasMovedOn({ id }: Task, { engine, queues }: RunsContext): Promise<boolean> {
  const [polled, outcome] = await Promise.all([engine.get(queues.poll, id), engine.get(queues.outcomes, id)])
  return polled !== undefined || outcome !== undefined
}

async function afterFailure(
  error: unknown,
  { task, price }: { task: Task; price: number },
  context: RunsContext,
): Promise<Json | undefined> {
  if (!isModelRunError(error)) throw park(error)
  if (error.jobId !== undefined) return startPolling(task, error.jobId, context)
  if (error.submission === 'accepted' || error.submission === 'unknown') throw park(error)
  // Not sent, or rejected: nothing was charged.
  await context.engine.tally(context.queues.credits, -price)
  pauseOnRejection(error, context)
  const isFinal = error.submission === 'rejected' || !error.isRetryable
  if (isFinal) return reject(task, { code: error.code, message: error.message }, context)
  // An outage of the service is not a failed attempt, however long it lasts.
  throw new Again(OUTAGE_DELAY_MS)
}

/** Stores the job of an accepted run, so that it is polled. */
async function startPolling(task: Task, jobId: string, context: RunsContext): Promise<Json> {
  const { engine, queues, inbox, onError } = context
  const { model } = fromJson<SubmitData>(task.data)
  const submittedAt = Date.now()
  const delayMs = inbox === undefined ? firstPollMs : firstPollBesideWebhooksMs
  const add = () => {
    // After a stall longer than the lock, another process may have parked the run.
    const mayBeUnknown = task.msLeft() < SHORT_LOCK_MS ? true : undefined
    return engine.add(queues.poll, task.id, { data: asJson({ model, jobId, submittedAt, mayBeUnknown }), delayMs })
  }
  await untilStored(add, onError)
  if (inbox !== undefined) await untilStored(() => stopPolling(task.id, context), onError)
  return { jobId }
}

/** Makes the task dead: the run waits for a decision, and is not sent again by itself. */
function park(cause?: unknown): Permanent {
  const reason = cause === undefined ? 'its process died while it was sent' : String(cause)
  return new Permanent('unknown', `The run may have been accepted: ${reason}`, { cause })
}

async function reject(task: Task, error: TaskFailure, { engine, queues, onError }: RunsContext): Promise<Json> {
  const outcome: Outcome = { state: 'rejected', error }
  await untilStored(() => engine.add(queues.outcomes, task.id, { data: asJson(outcome) }), onError)
  return { rejected: true }
}

/** The prices of models. Each is read once in a process. */
export class Prices {
  readonly #client: ModelRun
  readonly #prices = new Map<string, Promise<number>>()

  constructor(client: ModelRun) {
    this.#client = client
  }

  /** Returns the credits of a run. Rejects when the model cannot be read. */
  of(model: string): Promise<number> {
    const known = this.#prices.get(model) ?? this.#read(model)
    this.#prices.set(model, known)
    return known
  }

  async #read(model: string): Promise<number> {
    try {
      return (await this.#client.models.get(model)).pricing.credits_per_run
    } catch (error) {
      this.#prices.delete(model)
      throw error
    }
  }
}
