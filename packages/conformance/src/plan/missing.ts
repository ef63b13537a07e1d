import type { Scenario } from '../check.ts'
import { type ResolvedOptions, SPECIAL_KEYS } from '../options.ts'

/** Why a scenario cannot be performed with these options; `undefined` when it can. */
export function missingFor(scenario: Scenario<unknown>, options: ResolvedOptions): string | undefined {
  const { runs = {}, writes, receiver, keys, uses = [] } = scenario
  if ((writes || Object.keys(runs).length > 0) && !options.allowRuns)
    return 'sends more than GET requests, which was not allowed'
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
