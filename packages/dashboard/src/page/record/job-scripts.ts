import type { JobRow } from '../data/wire.ts'
import type { DeliveryPlan, Recorded } from './record.ts'

/**
 * The outcome of each job and its deliveries as a script, because a test sets the outcome before the run. With it the
 * run takes as long as it took, whatever the latency of the server was.
 */
export function jobScripts(
  actions: readonly Recorded[],
  jobOf: (id: string) => JobRow | undefined,
): ReadonlyMap<string, object> {
  const ids = new Set(actions.flatMap((action) => (action.kind === 'run' ? (action.jobId ?? []) : [])))
  return new Map(
    [...ids].map((id) => [
      id,
      scriptOf(
        actions.filter((action) => isAbout(action, id)),
        jobOf(id),
      ),
    ]),
  )
}

function isAbout(action: Recorded, jobId: string): boolean {
  return 'jobId' in action && action.jobId === jobId
}

function scriptOf(actions: readonly Recorded[], job: JobRow | undefined): object {
  const webhook = actions.reduce<DeliveryPlan | undefined>(planAfter, undefined)
  return { ...endOf(actions, job), webhook }
}

/** A job that is ended by hand continues until then. */
function endOf(actions: readonly Recorded[], job: JobRow | undefined): { result: string; after_ms?: number } {
  if (actions.some(({ kind }) => ['complete', 'fail', 'cancel', 'hang'].includes(kind))) return { result: 'hang' }
  const { status, created_at_ms, ended_at_ms, ends_at_ms } = job ?? {}
  const endMs = ended_at_ms ?? ends_at_ms
  if (created_at_ms === undefined || endMs === undefined || status === 'cancelled') return { result: 'hang' }
  return { result: status === 'failed' ? 'failed' : 'succeeded', after_ms: endMs - created_at_ms }
}

function planAfter(plan: DeliveryPlan | undefined, action: Recorded): DeliveryPlan | undefined {
  switch (action.kind) {
    case 'jobWebhook':
      return action.plan
    case 'again':
      return { ...plan, deliveries: (plan?.deliveries ?? 1) + 1 }
    case 'drop':
      return { ...plan, deliveries: 0 }
    default:
      return plan
  }
}
