import type { Finding } from './finding.ts'
import type { World } from './judges/world.ts'
import type { ResolvedOptions, SpecialKey } from './options.ts'
import type { RunKind, Targets } from './plan/targets.ts'
import type { Session } from './session/session.ts'

/** Requests that the suite sends, once for all checks that judge them. */
export interface Scenario {
  /** Shown while it is performed. */
  name: string
  /** Number of runs that are charged: the plan is computed from it. 0: the model is needed, and what is run of it is cancelled. */
  runs?: { [Kind in RunKind]?: number } | undefined
  /** Price of the runs that `runs` does not count. */
  costOf?: ((targets: Targets, options: ResolvedOptions) => number) | undefined
  /** Whether it sends more than GET requests. A scenario with `runs` does. */
  writes?: boolean | undefined
  /** Whether webhook deliveries must be able to arrive. */
  receiver?: boolean | undefined
  /** A special key that it uses. */
  key?: SpecialKey | undefined
  /** Performed before, where they can be. */
  after?: readonly Scenario[] | undefined
  /** Throws a BlockedError when something that it builds on is missing. */
  perform(session: Session): Promise<unknown>
}

/** Judges one or a few statements of the specification. */
export interface Check {
  /** `area/what`. */
  id: string
  /** The scenarios whose requests it judges. The first one names what is missing when there is nothing to judge. */
  from: readonly Scenario[]
  judge(world: World): Finding
}
