import type { Check, RunCount, Scenario } from '../check.ts'
import { CannotStartError, type ResolvedOptions } from '../options.ts'
import { missingFor } from './missing.ts'
import type { RunKind, Targets } from './targets.ts'

/** Runs of one scenario. */
export interface PlannedRuns {
  kind: RunKind
  count: RunCount
}

/** The runs that these checks start at most: each scenario once, those that cannot be performed left out. */
export function plannedRuns(checks: readonly Check[], options: ResolvedOptions): PlannedRuns[] {
  const scenarios = new Set<Scenario<unknown>>()
  for (const { scenario } of checks) addPerformed(scenarios, scenario, options)
  return [...scenarios].flatMap(({ runs = {} }) =>
    // The keys of `runs` are its type's.
    Object.entries(runs).map(([kind, count]) => ({ kind: kind as RunKind, count })),
  )
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
export function costOf(runs: readonly PlannedRuns[], targets: Targets, { maxCredits }: ResolvedOptions): number {
  const priced = runs.flatMap(({ kind, count }) => {
    const target = { ...targets, longest: targets.slow ?? targets.main }[kind]
    if (target === undefined) return []
    const runs = typeof count === 'number' ? count : count(target)
    return [{ ...target, count: runs, credits: runs * target.creditsPerRun }]
  })
  const total = priced.reduce((sum, { credits }) => sum + credits, 0)
  if (total <= maxCredits) return total
  const parts = partsOf(priced)
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
