import type { Check, Scenario } from '../check.ts'
import { CannotStartError, type ResolvedOptions, SPECIAL_KEYS } from '../options.ts'
import { endsOfJobs } from '../scenarios/ends.ts'
import type { RunKind, Targets } from './targets.ts'

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
  if ([...performed].some(sendsRuns)) add(endsOfJobs)
  return performed
}

/** Whether a scenario sends more than GET requests. */
export function sendsRuns({ runs, writes = false }: Scenario): boolean {
  return writes || runs !== undefined
}

/** Why a scenario cannot be performed with these options; `undefined` when it can. */
export function missingFor(scenario: Scenario, options: ResolvedOptions): string | undefined {
  const { runs = {}, receiver, key } = scenario
  if (sendsRuns(scenario) && !options.allowRuns) return 'sends more than GET requests, which was not allowed'
  if (runs.slow !== undefined && options.models.slow === undefined)
    return 'needs a slow model, one that takes longer than 55 s'
  if (runs.failing !== undefined && options.models.failing === undefined)
    return 'needs a model and an input that fail at the provider'
  if (receiver && options.receiver === undefined) return 'needs a webhook receiver that the service can reach'
  return key === undefined || options.keys[key] !== undefined ? undefined : `needs a key that ${SPECIAL_KEYS[key]}`
}

/**
 * What the runs of scenarios could cost at most.
 *
 * @throws CannotStartError when that is more than allowed; the message shows the sum
 */
export function costOf(scenarios: Iterable<Scenario>, targets: Targets, options: ResolvedOptions): number {
  const { maxCredits } = options
  const models = { ...targets, longest: targets.slow ?? targets.main }
  let credits = 0
  for (const { runs = {}, costOf: more } of scenarios) {
    credits += more?.(targets, options) ?? 0
    // The keys of `runs` are its type's.
    for (const [kind, count] of Object.entries(runs) as [RunKind, number][])
      credits += count * (models[kind]?.creditsPerRun ?? 0)
  }
  if (credits <= maxCredits) return credits
  throw new CannotStartError(
    `The plan could cost ${credits} credits; the limit is ${maxCredits}. Nothing was run. ` +
      'Raise the limit of credits, or choose cheaper models or fewer checks.',
  )
}
