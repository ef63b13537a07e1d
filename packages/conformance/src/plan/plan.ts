import type { Check, RunCount, Scenario } from '../check.ts'
import { CannotStartError, type ResolvedOptions } from '../options.ts'
import { MOST_REPEATS, REPEATS } from '../session/attempts.ts'
import { missingFor } from './missing.ts'
import type { RunKind, Targets } from './targets.ts'

/** Runs of one scenario. */
interface PlannedRuns {
  kind: RunKind
  count: RunCount
}

/** What is run at most. */
export interface Plan {
  runs: readonly PlannedRuns[]
  /** Scenarios whose price is known by the models. */
  priced: readonly NonNullable<Scenario<unknown>['costOf']>[]
}

/** The runs that these checks start at most: each scenario once, those that cannot be performed left out. */
export function planOf(checks: readonly Check[], options: ResolvedOptions): Plan {
  const scenarios = new Set<Scenario<unknown>>()
  for (const { scenario } of checks) addPerformed(scenarios, scenario, options)
  const planned = [...scenarios].flatMap(({ runs = {} }) =>
    // The keys of `runs` are its type's.
    Object.entries(runs).map(([kind, count]) => ({ kind: kind as RunKind, count })),
  )
  const repeats = repeatsOf([...scenarios].flatMap(({ mayFail }) => mayFail ?? []))
  return { runs: [...planned, ...repeats], priced: [...scenarios].flatMap(({ costOf }) => costOf ?? []) }
}

/** Repeats of runs at which the provider fails. */
function repeatsOf(kinds: readonly RunKind[]): PlannedRuns[] {
  return [...new Set(kinds)].map((kind) => {
    const wanted = MOST_REPEATS * kinds.filter((one) => one === kind).length
    return { kind, count: Math.min(wanted, REPEATS[kind] ?? 0) }
  })
}

function addPerformed(performed: Set<Scenario<unknown>>, scenario: Scenario<unknown>, options: ResolvedOptions): void {
  if (missingFor(scenario, options) !== undefined) return
  performed.add(scenario)
  for (const used of [...(scenario.uses ?? []), ...(scenario.mayUse ?? [])]) addPerformed(performed, used, options)
}

/**
 * What the runs could cost at most.
 *
 * @throws CannotStartError when that is more than allowed; the message shows the sum
 */
export function costOf({ runs, priced: extra }: Plan, targets: Targets, options: ResolvedOptions): number {
  const { maxCredits } = options
  const priced = runs.flatMap(({ kind, count }) => {
    const target = { ...targets, longest: targets.slow ?? targets.main }[kind]
    if (target === undefined) return []
    const runs = typeof count === 'number' ? count : count(target, options)
    return [{ ...target, count: runs, credits: runs * target.creditsPerRun }]
  })
  const crossed = extra.reduce((sum, costOf) => sum + costOf(targets, options), 0)
  const total = priced.reduce((sum, { credits }) => sum + credits, crossed)
  if (total <= maxCredits) return total
  const parts = [...partsOf(priced), ...(crossed > 0 ? [`crossed runs for ${crossed}`] : [])]
  throw new CannotStartError(
    `The plan could cost ${total} credits (${parts.join(', ')}); the limit is ${maxCredits}. Nothing was run. ` +
      'Raise the limit of credits, choose cheaper models, or choose fewer checks.',
  )
}

/** The runs of each model in words. */
function partsOf(priced: readonly { modelId: string; creditsPerRun: number; count: number }[]): string[] {
  const ids = [...new Set(priced.map(({ modelId }) => modelId))]
  return ids.map((id) => {
    const same = priced.filter(({ modelId }) => modelId === id)
    return `${same.reduce((sum, { count }) => sum + count, 0)} runs of ${id} at ${same[0]?.creditsPerRun}`
  })
}
