import type { Finding } from './finding.ts'
import type { World } from './judges/world.ts'
import type { ResolvedOptions, SpecialKey } from './options.ts'
import type { RunKind, Targets } from './plan/targets.ts'
import type { Session } from './session/session.ts'

/** Requests that the suite sends, once for all checks that judge them. */
export interface Scenario {
  /** Shown while it is performed. */
  name: string
  /** The model that must be given. */
  model?: RunKind | undefined
  /** Price of its runs. Rejected and cancelled ones are free. */
  costOf?: ((targets: Targets, options: ResolvedOptions) => number) | undefined
  /** Whether it sends more than GET requests. */
  writes?: boolean | undefined
  /** Whether webhook deliveries must be able to arrive. */
  receiver?: boolean | undefined
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
