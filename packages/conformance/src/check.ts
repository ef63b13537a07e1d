import type { Finding } from './finding.ts'
import type { ResolvedOptions, SpecialKey } from './options.ts'
import type { RunKind, Targets } from './plan/targets.ts'
import type { Session } from './session/session.ts'

/** Calls the service once; many checks share its result. */
export interface Scenario<Evidence> {
  /** Number of runs that are charged: the plan is computed from it. 0: the model is needed, and what is run of it is cancelled. */
  runs?: { [Kind in RunKind]?: number } | undefined
  /** Price of the runs that `runs` does not count. */
  costOf?: ((targets: Targets, options: ResolvedOptions) => number) | undefined
  /** Whether the scenario sends more than GET requests. A scenario with `runs` does. All that it runs is rejected or cancelled. */
  writes?: boolean | undefined
  /** Whether webhook deliveries must be able to arrive. */
  receiver?: boolean | undefined
  /** A special key that it uses. */
  key?: SpecialKey | undefined
  /** Required scenarios: without one of them, this one is skipped. */
  uses?: readonly Scenario<unknown>[] | undefined
  /** Optional scenarios: used where they can be performed. */
  mayUse?: readonly Scenario<unknown>[] | undefined
  perform(session: Session): Promise<Evidence>
}

/** What a scenario needs. */
export type Needs = Omit<Scenario<unknown>, 'perform'>

/** Creates a scenario with what it needs, and how it is performed. */
export function defineScenario<Evidence>(needs: Needs, perform: Scenario<Evidence>['perform']): Scenario<Evidence> {
  return { ...needs, perform }
}

/** Judges one or a few statements of the specification. */
export interface Check {
  /** `area/what`. */
  id: string
  scenario: Scenario<unknown>
  /** Whether it is about everything that happened: made after the scenarios of all checks. */
  isLast?: boolean | undefined
  run(session: Session): Promise<Finding>
}

/** Creates a check that judges the evidence of a scenario. */
export function check<Evidence>(
  id: string,
  scenario: Scenario<Evidence>,
  judge: (evidence: Evidence, session: Session) => Finding,
): Check {
  return { id, scenario, run: async (session) => judge(await session.evidence(scenario), session) }
}
