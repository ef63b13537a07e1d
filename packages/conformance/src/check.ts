import type { Finding } from './judge/finding.ts'
import type { SpecialKey } from './options.ts'
import type { ModelTarget } from './plan/targets.ts'
import type { Session } from './session/session.ts'

/** Which model a run is of. `longest`: the slow one, else the main one. */
export type RunKind = 'main' | 'slow' | 'failing' | 'longest'

/** How many runs: a number, or what follows from the model. */
export type RunCount = number | ((target: ModelTarget) => number)

/**
 * Something that is done to the service once, however many checks look at what came of it. Whoever performs it may start
 * no more runs than `runs` says: the budget is reckoned from that.
 */
export interface Scenario<Evidence> {
  id: string
  /** Runs that it starts at most, those included which the service should refuse. 0: it needs the model, and runs none. */
  runs?: { [Kind in RunKind]?: RunCount } | undefined
  /** Whether it sends more than GET requests. A scenario with `runs` does. */
  writes?: boolean | undefined
  /** Whether webhook deliveries must be able to arrive. */
  receiver?: boolean | undefined
  /** Whether the credits left must be known. */
  credits?: boolean | undefined
  /** A key that it needs: the first of these that was given. */
  keys?: readonly SpecialKey[] | undefined
  /** Others that it builds on: it cannot be performed where one of them cannot. */
  uses?: readonly Scenario<unknown>[] | undefined
  /** Others that it uses where they can be performed. */
  mayUse?: readonly Scenario<unknown>[] | undefined
  perform(session: Session): Promise<Evidence>
}

/** Judges one or a few statements of the specification. */
export interface Check {
  /** `area/what`. */
  id: string
  scenario: Scenario<unknown>
  run(session: Session): Promise<Finding>
}

/** A check that judges what came of a scenario. */
export function check<Evidence>(
  id: string,
  scenario: Scenario<Evidence>,
  judge: (evidence: Evidence, session: Session) => Finding,
): Check {
  return { id, scenario, run: async (session) => judge(await session.evidence(scenario), session) }
}
