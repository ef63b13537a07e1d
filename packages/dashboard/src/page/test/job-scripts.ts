import type { Action, DeliveryPlan, JobRow } from '../data/wire.ts'

/** Calls that end a job, or keep it from ending. */
const BY_HAND = ['completeJob', 'failJob', 'cancelJob', 'hangJob']

/**
 * The outcome of a job and its deliveries as a script, because a test sets the outcome before the run. With it the run
 * takes as long as it took, whatever the latency of the server was.
 *
 * @param actions those on the job
 */
export function jobScript(actions: readonly Action[], job: JobRow | undefined): object {
  const webhook = actions.reduce<DeliveryPlan | undefined>(planAfter, undefined)
  return { ...endOf(actions, job), webhook }
}

/** A job that is ended by hand continues until then. */
function endOf(actions: readonly Action[], job: JobRow | undefined): object {
  if (actions.some(({ call }) => BY_HAND.includes(call))) return { result: 'hang' }
  const { status, created_at_ms, ended_at_ms, ends_at_ms, code, message } = job ?? {}
  const endMs = ended_at_ms ?? ends_at_ms
  if (created_at_ms === undefined || endMs === undefined || status === 'cancelled') return { result: 'hang' }
  const after_ms = endMs - created_at_ms
  if (status !== 'failed') return { result: 'succeeded', after_ms }
  return { result: 'failed', after_ms, ...(code && { error: { code, message } }) }
}

function planAfter(plan: DeliveryPlan | undefined, { call, body }: Action): DeliveryPlan | undefined {
  switch (call) {
    case 'setJobWebhook':
      return Object(body)
    case 'deliverAgain':
      return { ...plan, deliveries: (plan?.deliveries ?? 1) + 1 }
    case 'dropDeliveries':
      return { ...plan, deliveries: 0 }
    default:
      return plan
  }
}
