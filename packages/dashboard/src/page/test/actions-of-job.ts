import type { Action, Exchange, Life } from '../data/wire.ts'
import { faultsOf } from '../jobs/outcome.ts'

/** Calls that shape every run. */
const CONTEXT = ['createKey', 'limitKey', 'rotateKey', 'setWebhooks', 'setClockScale']

/**
 * What a test of one job has to do: its run with the attempts before it, what was done to it, the settings at that time,
 * and the faults that its own requests met.
 */
export function actionsOfJob(actions: readonly Action[], { job, exchanges }: Life): Action[] {
  const endMs = job.ended_at_ms ?? Number.POSITIVE_INFINITY
  const isContext = ({ call, at_ms }: Action) => CONTEXT.includes(call) && at_ms <= endMs
  const run = actions.find(({ call, job_id }) => call === 'runModel' && job_id === job.job_id)
  const attempts = exchanges.filter(
    (one) => one.kind === 'request' && one.route === 'runModel' && one.job_id === undefined,
  )
  const isAttemptOfIt = (action: Action) =>
    action.call === 'runModel' && action.job_id === undefined && attempts.some(({ at_ms }) => at_ms === action.at_ms)
  const own = actions.filter((one) => one.job_id === job.job_id || isContext(one) || isAttemptOfIt(one))
  const faults = exchanges.flatMap((one) => faultBefore(one, run?.key))
  return [...faults, ...own].toSorted((one, other) => one.at_ms - other.at_ms)
}

/** A fault of a request, switched on right before it; of a poll the poll as well, which a test does not do otherwise. */
function faultBefore(exchange: Exchange, key: string | undefined): Action[] {
  const [fault] = faultsOf({ exchanges: [exchange] })
  if (fault === undefined || exchange.kind !== 'request' || exchange.route === 'control') return []
  const { at_ms, route, job_id } = exchange
  const added = { at_ms, call: 'addFault', body: fault, ...(key && { key }) }
  return route === 'getJob' ? [added, { at_ms, call: 'getJob', ...(job_id && { job_id }) }] : [added]
}
