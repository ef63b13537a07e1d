import type { Check, Scenario } from '../check.ts'
import { CannotStartError, type ResolvedOptions, SPECIAL_KEYS } from '../options.ts'
import type { RunKind, Targets } from './targets.ts'

/** The scenarios that these checks perform: those that cannot be are left out. */
export function scenariosOf(checks: readonly Check[], options: ResolvedOptions): Set<Scenario<unknown>> {
  const performed = new Set<Scenario<unknown>>()
  const add = (scenario: Scenario<unknown>) => {
    if (performed.has(scenario) || missingFor(scenario, options) !== undefined) return
    performed.add(scenario)
    for (const used of [...(scenario.uses ?? []), ...(scenario.mayUse ?? [])]) add(used)
  }
  for (const { scenario } of checks) add(scenario)
  return performed
}

/** Whether a scenario sends more than GET requests. */
export function sendsRuns({ runs, writes = false }: Scenario<unknown>): boolean {
  return writes || runs !== undefined
}

/** Why a scenario cannot be performed with these options; `undefined` when it can. */
export function missingFor(scenario: Scenario<unknown>, options: ResolvedOptions): string | undefined {
  const { runs = {}, receiver, key, uses = [] } = scenario
  if (sendsRuns(scenario) && !options.allowRuns) return 'sends more than GET requests, which was not allowed'
  if (runs.slow !== undefined && options.models.slow === undefined)
    return 'needs a slow model, one that takes longer than 55 s'
  if (runs.failing !== undefined && options.models.failing === undefined)
    return 'needs a model and an input that fail at the provider'
  if (receiver && options.receiver === undefined) return 'needs a webhook receiver that the service can reach'
  if (key !== undefined && options.keys[key] === undefined) return `needs a key that ${SPECIAL_KEYS[key]}`
  return uses.map((used) => missingFor(used, options)).find((reason) => reason !== undefined)
}

/**
 * What the runs of scenarios could cost at most.
 *
 * @throws CannotStartError when that is more than allowed; the message shows the sum
 */
export function costOf(scenarios: Iterable<Scenario<unknown>>, targets: Targets, options: ResolvedOptions): number {
  const models = { ...targets, longest: targets.slow ?? targets.main }
  let [single, crossed] = [0, 0]
  for (const { runs = {}, costOf: more } of scenarios) {
    crossed += more?.(targets, options) ?? 0
    // The keys of `runs` are its type's.
    for (const [kind, count] of Object.entries(runs) as [RunKind, number][])
      single += count * (models[kind]?.creditsPerRun ?? 0)
  }
  if (single + crossed <= options.maxCredits) return single + crossed
  throw new CannotStartError(
    `The plan could cost ${single + crossed} credits (${single} for single runs, ${crossed} for crossed ones); the limit is ` +
      `${options.maxCredits}. Nothing was run. Raise the limit of credits, or choose cheaper models, a smaller depth, or fewer checks.`,
  )
}
