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
  const { runs = {}, receiver, keys, uses = [] } = scenario
  if (sendsRuns(scenario) && !options.allowRuns) return 'sends more than GET requests, which was not allowed'
  if (runs.slow !== undefined && options.models.slow === undefined)
    return 'needs a slow model, one that takes longer than 55 s'
  if (runs.failing !== undefined && options.models.failing === undefined)
    return 'needs a model and an input that fail at the provider'
  if (receiver && options.receiver === undefined) return 'needs a webhook receiver that the service can reach'
  if (keys?.every((name) => options.keys[name] === undefined)) {
    return `needs a key that ${keys.map((name) => SPECIAL_KEYS[name]).join(', or one that ')}`
  }
  return uses.map((used) => missingFor(used, options)).find((reason) => reason !== undefined)
}

/**
 * What the runs of scenarios could cost at most.
 *
 * @throws CannotStartError when that is more than allowed; the message shows the sum
 */
export function costOf(scenarios: Iterable<Scenario<unknown>>, targets: Targets, options: ResolvedOptions): number {
  const { maxCredits } = options
  const counts = new Map<RunKind, number>()
  let crossed = 0
  for (const { runs = {}, costOf: more } of scenarios) {
    crossed += more?.(targets, options) ?? 0
    // The keys of `runs` are its type's.
    for (const [kind, count] of Object.entries(runs) as [RunKind, number][])
      counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  const models = { ...targets, longest: targets.slow ?? targets.main }
  const parts = [...counts].flatMap(([kind, count]) => {
    const target = models[kind]
    if (target === undefined || count === 0) return []
    const { modelId, creditsPerRun: price } = target
    return [{ credits: count * price, words: `${count} runs of ${modelId} at ${price}` }]
  })
  if (crossed > 0) parts.push({ credits: crossed, words: `crossed runs for ${crossed}` })
  const total = parts.reduce((sum, { credits }) => sum + credits, 0)
  if (total <= maxCredits) return total
  throw new CannotStartError(
    `The plan could cost ${total} credits (${parts.map(({ words }) => words).join(', ')}); the limit is ${maxCredits}. ` +
      'Nothing was run. Raise the limit of credits, choose cheaper models, or choose fewer checks.',
  )
}
