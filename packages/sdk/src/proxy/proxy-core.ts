import { memberOf, withTimeLimit } from '@modelrun/kit'
import type { BodyRules } from '../shared/serving/read-body.ts'
import type { createSpending, Reservation } from './budget/spending.ts'
import type { createCatalog } from './catalog.ts'
import type { PageRequest } from './page-request.ts'
import type { ProxyIdentity } from './proxy-options.ts'
import { failureResponse, isForOperator } from './reply.ts'
import { isCredits, type ResolvedProxyOptions } from './resolve-proxy-options.ts'
import type { createRunsUnderWay } from './runs-under-way.ts'
import type { createJobSeals } from './sealed-jobs.ts'

/** What the routes of one proxy share. */
export interface ProxyCore {
  options: ResolvedProxyOptions
  catalog: ReturnType<typeof createCatalog>
  seals: ReturnType<typeof createJobSeals>
  rules: BodyRules
  runsUnderWay: ReturnType<typeof createRunsUnderWay>
  /** Undefined without a budget. */
  spending: ReturnType<typeof createSpending> | undefined
}

/** A request whose user is known. */
export interface Visit {
  identity: ProxyIdentity
  report(error: unknown): void
}

/** Responds to a request for one route. `id`: the model or the job in the path. */
export type Route = (core: ProxyCore, visit: Visit, asked: { id: string; request: PageRequest }) => Promise<Response>

/** The response to a call that failed and was not a run. */
export function failureReply({ report }: Visit, error: unknown): Response {
  if (isForOperator(error)) report(error)
  return failureResponse(error, { isRun: false })
}

/** Longest time that a response waits for the budget store. The store may still count it later. */
const SETTLE_LIMIT_MS = 2_000

/**
 * Settles what was reserved for a job, when it has ended in this state. A store that fails or stalls costs no response: the
 * reservation is kept then, and counts as spent until its window ends.
 */
export async function settleState(
  core: ProxyCore,
  visit: Visit,
  { reservation, state }: { reservation: Reservation | undefined; state: object & { status: string } },
): Promise<void> {
  const charged = reservation && chargeOf(state, reservation.credits)
  if (charged !== undefined) await settle(core, visit, { reservation, charged })
}

/** Counts what was charged instead of what was reserved. */
export async function settle(
  { spending, options: { clock } }: ProxyCore,
  { identity, report }: Visit,
  { reservation, charged }: { reservation: Reservation | undefined; charged: number },
): Promise<void> {
  if (spending === undefined || reservation === undefined) return
  const limits = { clock, limitMs: SETTLE_LIMIT_MS, name: '`settle` of the budget store' }
  await withTimeLimit(() => spending.settle(identity.user, reservation, charged), limits).catch(report)
}

/**
 * What a run in this state has cost, in credits; undefined while that is not certain. What the service says counts, when it
 * is a number of credits.
 */
function chargeOf(state: object & { status: string }, reserved: number): number | undefined {
  const reported = memberOf(state, 'credits_used')
  const said = isCredits(reported) && reported < Number.POSITIVE_INFINITY ? reported : undefined
  if (state.status === 'completed' || state.status === 'succeeded') return said ?? reserved
  if (state.status === 'failed') return said ?? 0
  return state.status === 'cancelled' ? 0 : undefined
}
