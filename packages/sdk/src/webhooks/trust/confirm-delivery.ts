import { abortable, sleep } from '../../abort.ts'
import type { InboxCore } from '../inbox-core.ts'
import { UnconfirmedError } from '../inbox-errors.ts'
import type { NextStep } from '../store/inbox-store.ts'
import type { StoredDelivery } from '../stored-delivery.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { eventOfJob } from './event-of-job.ts'
import type { Look } from './job-looker.ts'
import { outputProblem } from './output-problem.ts'

/** A delivery to confirm. */
export interface Unconfirmed {
  delivery: StoredDelivery
  /** True when the job was expected, so that somebody waits for it. */
  isExpected: boolean
}

/** Why a delivery is not confirmed; `attempt` is 1 for the first look at the job. */
export interface FailedLook {
  error: unknown
  attempt: number
}

/** What came of it: an event that may be shown to a handler, or what becomes of the record. */
export type Confirmation =
  | { kind: 'confirmed'; event: WebhookEvent }
  | { kind: 'unconfirmed'; next: NextStep; failure: FailedLook }
  /** The service answered something that waiting does not change: counts as a failed attempt. */
  | { kind: 'refused'; error: unknown }

/** Waits before the next look at a job that is still running there, and at one that is not there. */
const RUNNING_WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const
const MISSING_WAITS_MS = [1_000, 2_000] as const

/** Finds out what may be believed of a delivery. Rejects only when the inbox stops. */
export async function confirmDelivery(core: InboxCore, unconfirmed: Unconfirmed): Promise<Confirmation> {
  const { delivery } = unconfirmed
  if (!needsLook(core, delivery)) return { kind: 'confirmed', event: delivery.event }
  try {
    return await lookUntilClear(core, unconfirmed)
  } catch (error) {
    if (!core.stopping.signal.aborted) throw error
    return { kind: 'unconfirmed', next: { kind: 'retry', inMs: 0, isFree: true }, failure: { error, attempt: 1 } }
  }
}

/** True when the service decides what a handler sees. */
export function needsLook(core: InboxCore, { source, token, event }: StoredDelivery): boolean {
  const { options, looker } = core
  if (source !== 'webhook') return false
  if (options.trust === 'verify' || token === 'expired') return true
  // A forged result must not become the dead letter that hides the real one.
  return looker !== undefined && outputProblem(core, event) !== undefined
}

async function lookUntilClear(core: InboxCore, unconfirmed: Unconfirmed): Promise<Confirmation> {
  const { event } = unconfirmed.delivery
  for (let attempt = 1; ; attempt++) {
    const look = await lookFor(core, unconfirmed.delivery)
    if (look.kind === 'unreachable' || look.kind === 'throttled') return notNow(core, look, attempt)
    if (look.kind === 'refused') return look
    const confirmed = look.kind === 'job' ? eventOfJob(event.job_id, look.job, event) : undefined
    if (confirmed !== undefined) return { kind: 'confirmed', event: confirmed }
    const { error, waitsMs } = describeUnclear(event, look)
    const retryInMs = waitsMs[attempt - 1]
    const failure = { error, attempt }
    if (retryInMs === undefined) return { kind: 'unconfirmed', next: nextOf(core, unconfirmed, look), failure }
    core.hooks.tell('onHandlerError', { event, ...failure, retryInMs })
    await sleep(core.options.clock, retryInMs, core.stopping.signal)
  }
}

async function lookFor(core: InboxCore, { token, event }: StoredDelivery): Promise<Look> {
  const { looker, stopping, aborting, options } = core
  if (looker === undefined) return { kind: 'refused', error: new UnconfirmedError('The inbox has no client to ask.') }
  const wait = (delayMs: number) => sleep(options.clock, delayMs, stopping.signal)
  const look = token === 'none' ? looker.lookForStranger(event.job_id, wait) : looker.look(event.job_id)
  // A look that has begun may end while the inbox drains: it is short, and the handler can run after it.
  return await abortable(look, aborting.signal)
}

function notNow(core: InboxCore, look: Look & { retryInMs: number }, attempt: number): Confirmation {
  const inMs = look.retryInMs * (1 + core.options.random() / 2)
  const error =
    look.kind === 'unreachable' ? look.error : new UnconfirmedError('Too many deliveries are to be verified.')
  return { kind: 'unconfirmed', next: { kind: 'retry', inMs, isFree: true }, failure: { error, attempt } }
}

/** A job that runs is left to its real delivery and to the poller; one that is not there, only when it was expected. */
function nextOf({ options, looker }: InboxCore, { isExpected, delivery }: Unconfirmed, look: Look): NextStep {
  if (look.kind === 'not_found' && !look.isRemembered) looker?.noteMissing(delivery.event.job_id)
  if (look.kind === 'job' || isExpected) return { kind: 'expect', pollInMs: options.expectedAfterMs }
  return { kind: 'forget' }
}

function describeUnclear(
  { job_id, status }: WebhookEvent,
  look: Extract<Look, { kind: 'job' | 'not_found' }>,
): { error: unknown; waitsMs: readonly number[] } {
  if (look.kind === 'not_found') return { error: look.error, waitsMs: look.isRemembered ? [] : MISSING_WAITS_MS }
  const message = `The delivery for the job ${job_id} says ${status}; the service says ${look.job.status}.`
  return { error: new UnconfirmedError(message), waitsMs: RUNNING_WAITS_MS }
}
