import { abortable, type Json, NonRetriableError, RetryAfterError, type Task } from '@modelrun/kit'
import { BudgetExceededError, type ModelRun, ModelRunError, NotFoundError, PermissionDeniedError } from 'modelrun'
import { countAttempt } from './add-run.ts'
import { pauseOnRejection, reportOutage } from './pauses.ts'
import { isDeleted } from './read-runs.ts'
import { cancelledBefore, type Outcome, outcomeOf, type SubmitData, type UnsentOutcome } from './run-types.ts'
import {
  asJson,
  creditsPart,
  earlierSends,
  FIRST_WAIT_MS,
  freePlace,
  fromJson,
  note,
  type RunsContext,
  reportEnd,
  settleEnd,
  stored,
  storeOutcome,
  takePlace,
} from './runs-context.ts'

const FIRST_POLL_MS = 500

/** Milliseconds from the submit to the first poll of a batch with webhooks, which only polls for missing deliveries. */
const FIRST_POLL_BESIDE_WEBHOOKS_MS = 60_000

const OUTAGE_DELAY_MS = 2_000

/** A lock with less time left may end before the store has the job of the run. */
const SHORT_LOCK_MS = 2_000

/**
 * Works a task of the queue `submit`: sends a run, at most once for a key. The mark right before the POST says that it may have
 * been sent. A task whose process died after the mark is not sent again.
 */
export async function submitRun(task: Task, prices: Prices, context: RunsContext): Promise<Json | undefined> {
  if (isDeleted(task)) return undefined
  let send: (() => Promise<SentJob>) | undefined
  try {
    // The process died after it had stored the job or the outcome of the run, or a user has named its job.
    if (task.fence > 1 && (await hasMovedOn(task, context))) return undefined
    if (task.lost > 0) throw await park(task, context)
    await countAttempt(task.id, context)
    const prepared = await prepare(task, prices, context)
    if (typeof prepared !== 'function') return await endUnsent(task, prepared, context)
    // After this mark only its own process sends the run, and a process that comes late does not.
    if (!(await task.markStarted())) throw new RetryAfterError(0)
    note(context, { isMarked: true })
    send = prepared
    return await startPolling(task, await send(), context)
  } catch (error) {
    if (error instanceof RetryAfterError || error instanceof NonRetriableError) throw error
    // The store failed before the run was sent.
    if (send === undefined && !(error instanceof ModelRunError)) throw new RetryAfterError(OUTAGE_DELAY_MS)
    if (error instanceof BudgetExceededError) prices.forget(fromJson<SubmitData>(task.data).model)
    return await afterFailure(error, task, context)
  }
}

/** An accepted run. */
interface SentJob {
  jobId: string
  requestId?: string | undefined
  /** Of a response that has the end of the job, which the service may not keep. */
  end?: Outcome | undefined
}

/** Does all that comes before the run is sent. Returns the function that sends it, or how a run ends that is not sent. */
async function prepare(
  task: Task,
  prices: Prices,
  context: RunsContext,
): Promise<(() => Promise<SentJob>) | UnsentOutcome> {
  const { client, engine, queues, inbox, maxCredits } = context
  const data = fromJson<SubmitData>(task.data)
  const { model, input, maxCredits: agreed, webhookUrl } = data
  const isLimited = (agreed ?? maxCredits) !== undefined
  const price = await abortable(prices.of(model), task.signal).catch((error) => {
    // The call ends, or the lock is lost: it is sent by another one.
    if (task.signal.aborted) throw new RetryAfterError(0)
    // The service may run what it does not show to this key.
    const isHidden = error instanceof NotFoundError || error instanceof PermissionDeniedError
    if (isHidden && !isLimited) return Number.POSITIVE_INFINITY
    throw error
  })
  const names = [queues.cancels, queues.submit].map((queue) => ({ queue, id: task.id }))
  const [cancelled, submitted] = await engine.getAll(names)
  if (cancelled !== undefined) return cancelledBefore(data)
  const webhook = await inbox?.prepare({ modelId: model, context: { key: task.id, addedAt: submitted?.addedAt } })
  const part = await creditsPart(task, context)
  // Without a limit, a price that is not a number stops nothing.
  const amount = isLimited || Number.isFinite(price) ? price : 0
  if (!(await engine.reserve(queues.credits, part, { amount, limit: maxCredits }))) {
    const message = `The run costs ${price} credits, which is more than is left of maxCredits (${maxCredits ?? agreed}).`
    return { state: 'rejected', error: { code: 'BUDGET_EXCEEDED', message }, maxCredits }
  }
  await takePlace(task.id, context)
  // One POST for each mark: repeating is up to the task. After an abort the POST does not start; one that has started continues.
  // What is counted is what is paid, also for a limit that a later call adds.
  const most = isLimited ? Math.min(agreed ?? price, price) : undefined
  const { signal } = task
  const options = { maxRetries: 0, webhookUrl: webhook?.url ?? webhookUrl, maxCredits: most, signal, keepSent: true }
  return async () => {
    const { id, requestId, firstState } = await client.submit(model, input, options)
    reportOutage('submit', undefined, context)
    return { jobId: id, requestId, end: firstState && outcomeOf(id, firstState) }
  }
}

async function hasMovedOn({ id }: Task, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const [polled, outcome] = await engine.getAll([queues.poll, queues.outcomes].map((queue) => ({ queue, id })))
  // Its process may have died after it had stored the outcome.
  if (outcome !== undefined) {
    await settleEnd(id, fromJson<Outcome>(outcome.data).state, context)
    await engine.remove(queues.unsent, id)
  }
  return polled !== undefined || outcome !== undefined
}

async function afterFailure(error: unknown, task: Task, context: RunsContext): Promise<Json | undefined> {
  if (!(error instanceof ModelRunError)) throw await park(task, context, error)
  const { jobId, requestId } = error
  const isOwn = jobId !== undefined && error.submission === 'accepted'
  // A rejection may name the job of another run.
  if (isOwn) return startPolling(task, { jobId, requestId }, context)
  if (error.submission === 'accepted' || error.submission === 'unknown') throw await park(task, context, error)
  // Not sent, or rejected: nothing was charged.
  note(context, { isMarked: false })
  await stored(() => giveBack(task, context), context)
  if (error.code === 'aborted') throw new RetryAfterError(0)
  await pauseOnRejection('submit', error, context)
  if (error instanceof BudgetExceededError) return endTooDear(error, task, context)
  const { code, message } = error
  const isFinal = error.submission === 'rejected' || !error.isRetryable
  if (isFinal) return endUnsent(task, { state: 'rejected', error: { code, message } }, context)
  // An outage of the service is not a failed attempt, however long it lasts.
  reportOutage('submit', error, context)
  throw new RetryAfterError(OUTAGE_DELAY_MS)
}

/** The price rose since it was counted. Within what was agreed to, the run is counted with the new one. */
function endTooDear({ code, creditsPerRun }: BudgetExceededError, task: Task, context: RunsContext): Promise<Json> {
  const { maxCredits = Number.POSITIVE_INFINITY } = fromJson<SubmitData>(task.data)
  if (creditsPerRun <= maxCredits) throw new RetryAfterError(FIRST_WAIT_MS)
  const message = `The run costs ${creditsPerRun} credits, more than its maxCredits (${maxCredits}). It is not sent.`
  return endUnsent(task, { state: 'rejected', error: { code, message } }, context)
}

/** Gives back the place and the credits of a run that was not sent, or rejected. */
async function giveBack(task: Task, context: RunsContext): Promise<void> {
  await freePlace(task.id, context)
  await context.engine.release(context.queues.credits, await creditsPart(task, context))
}

export function firstPollMs({ inbox }: RunsContext): number {
  return inbox === undefined ? FIRST_POLL_MS : FIRST_POLL_BESIDE_WEBHOOKS_MS
}

/** Stores the job of an accepted run, so that it is polled, or its end. */
async function startPolling(task: Task, { jobId, requestId, end }: SentJob, context: RunsContext): Promise<Json> {
  const { engine, queues, inbox } = context
  if (end !== undefined && (await endsRun(end, task, context))) {
    const store = async () => {
      await storeOutcome(task.id, { ...end, requestId }, context)
      // After a stall longer than the lock, another process may have parked the run.
      await engine.replay(queues.submit, task.id)
    }
    await stored(store, context)
    return { ended: true }
  }
  const { model } = fromJson<SubmitData>(task.data)
  note(context, { jobId })
  const submittedAt = Date.now()
  const delayMs = firstPollMs(context)
  const add = () => {
    // After a stall longer than the lock, another process may have parked the run.
    const mayBeUnknown = task.msLeft() < SHORT_LOCK_MS ? true : undefined
    const mayBeResubmit = task.fence > 1 ? true : undefined
    const data = asJson({ model, jobId, submittedAt, requestId, mayBeResubmit, mayBeUnknown })
    return engine.add(queues.poll, task.id, { data, delayMs })
  }
  await stored(add, context)
  // The delivery may have come before the response to the submit.
  const stopPolling = async () => {
    if ((await engine.get(queues.outcomes, task.id)) !== undefined) await engine.remove(queues.poll, task.id)
  }
  if (inbox !== undefined) await stored(stopPolling, context)
  return { jobId }
}

/** A job that did not succeed does not end a run whose earlier send may be charged. */
async function endsRun({ state }: Outcome, task: Task, context: RunsContext): Promise<boolean> {
  return state === 'succeeded' || (await stored(() => earlierSends(task, context), context)) === 0
}

/** Makes the task dead: the run waits for a decision, and is not sent again by itself. */
async function park({ id }: Task, context: RunsContext, cause?: unknown): Promise<NonRetriableError> {
  const reason = cause === undefined ? 'its process died while it was sent' : String(cause)
  await stored(() => freePlace(id, context), context)
  const message = `The run may have been accepted: ${reason}`
  reportEnd(id, { state: 'unknown', error: { code: 'unknown', message } }, context)
  return new NonRetriableError('unknown', message, { cause })
}

/**
 * Ends a run that is not sent. One that was sent before stays unknown until a delivery or a person ends it: that send may be
 * charged, and its job is not known.
 */
async function endUnsent(task: Task, end: UnsentOutcome, context: RunsContext): Promise<Json> {
  const { engine, queues } = context
  if ((await stored(() => earlierSends(task, context), context)) > 0) {
    await stored(() => giveBack(task, context), context)
    throw await park(task, context, `it was sent before. Its resubmit was not accepted: ${end.error.message}`)
  }
  const store = async () => {
    await storeOutcome(task.id, end, context)
    await engine.remove(queues.unsent, task.id)
  }
  await stored(store, context)
  return { [end.state]: true }
}

export async function endCancelled(task: Task, context: RunsContext): Promise<Json | undefined> {
  if (await hasMovedOn(task, context)) return undefined
  if (task.lost > 0) throw await park(task, context)
  return endUnsent(task, cancelledBefore(fromJson<SubmitData>(task.data)), context)
}

/** How long a price counts. With a limit, the client reads it again right before the POST. */
const PRICE_MS = 60_000

/** The prices of models, each read once in this time. */
export type Prices = ReturnType<typeof createPrices>

export function createPrices(client: ModelRun) {
  const prices = new Map<string, { price: Promise<number>; readAt: number }>()
  /** The price has changed. */
  const forget = (model: string) => void prices.delete(model)
  /** Returns the credits of a run. Rejects when the model cannot be read. */
  const of = (model: string): Promise<number> => {
    const known = prices.get(model)
    if (known !== undefined && performance.now() - known.readAt < PRICE_MS) return known.price
    const price = client.models.get(model, { maxRetries: 0 }).then(({ pricing }) => pricing.credits_per_run)
    prices.set(model, { price, readAt: performance.now() })
    price.catch(() => forget(model))
    return price
  }
  return { of, forget }
}
