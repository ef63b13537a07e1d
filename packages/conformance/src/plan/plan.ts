import type { Check, Scenario } from '../check.ts'
import { CannotStartError, describeKey, type ResolvedOptions } from '../options.ts'
import { endsOfJobs } from '../scenarios/ends.ts'
import type { Targets } from './targets.ts'

/**
 * The scenarios of these checks, those that come before them, and the end of everything that they start. Those that cannot be
 * performed are left out.
 */
export function scenariosOf(checks: readonly Check[], options: ResolvedOptions): Set<Scenario> {
  const performed = new Set<Scenario>()
  const add = (scenario: Scenario) => {
    if (missingFor(scenario, options) !== undefined || performed.has(scenario)) return
    for (const before of scenario.after ?? []) add(before)
    performed.add(scenario)
  }
  for (const { from } of checks) for (const scenario of from) add(scenario)
  if ([...performed].some(({ writes }) => writes)) add(endsOfJobs)
  return performed
}

/** Why a scenario cannot be performed with these options; `undefined` when it can. */
export function missingFor(scenario: Scenario, options: ResolvedOptions): string | undefined {
  const { writes, model, receiver, key } = scenario
  if (writes && !options.allowRuns) return 'sends more than GET requests, which was not allowed'
  if (model === 'slow' && options.models.slow === undefined)
    return 'needs a slow model, one that takes longer than 55 s'
  if (model === 'failing' && options.models.failing === undefined)
    return 'needs a model and an input that fail at the provider'
  if (receiver && options.receiver === undefined) return 'needs a webhook receiver that the service can reach'
  return key === undefined || options.keys[key] !== undefined ? undefined : `needs ${describeKey(key)}`
}

/**
 * What the runs of scenarios could cost at most.
 *
 * @throws CannotStartError when that is more than allowed; the message shows the sum
 */
export function costOf(scenarios: readonly Scenario[], targets: Targets, options: ResolvedOptions): number {
  const { maxCredits } = options
  const credits = scenarios.reduce((sum, scenario) => sum + (scenario.costOf?.(targets, options) ?? 0), 0)
  if (credits <= maxCredits) return credits
  throw new CannotStartError(
    `The plan could cost ${credits} credits; the limit is ${maxCredits}. Nothing was run. ` +
      'Raise the limit of credits, or choose cheaper models or fewer checks.',
  )
}
