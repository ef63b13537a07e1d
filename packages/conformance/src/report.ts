import { type AssumptionOptions, assumptionsSchema } from '@modelrun/contract/assumptions'
import type { Exchange } from './exchange.ts'
import type { Verdict } from './finding.ts'
import type { JsonValue } from './json.ts'
import type { Requirement } from './requirements.ts'

/** Result of one check. */
export interface CheckResult {
  /** Id of the check, `area/what`. */
  check: string
  /** The statements of the specification that it covers. When it fails, one of them or more does not hold. */
  requirements: readonly Requirement[]
  /** How the check ended. */
  verdict: Verdict
  /** A sentence for people: what was found, or why nothing was judged. */
  detail: string
  /** Of the verdict `observed`. */
  observation?: JsonValue | undefined
  /** Ids of the exchanges that prove it. */
  exchanges: readonly number[]
}

/** Result of a run of the suite. */
export interface ConformanceReport {
  /** Base URL of the service that was checked. */
  baseUrl: string
  /** On the suite's clock. */
  durationMs: number
  /** How many checks ended with each verdict. */
  summary: Record<Verdict, number>
  /** What the runs cost. */
  credits: {
    /** What the plan costs: rejected and cancelled runs, and reads, are free (sections 1 and 3). */
    planned: number
    /** Price of the runs that were sent, without those that were rejected or cancelled. A failed one may be free. */
    spent: number
  }
  /** One result for each check, in the order of the suite. */
  results: readonly CheckResult[]
  /** What was observed where the specification is silent, and the reference server can be set to: its option `profile`. */
  profile: ServiceProfile
  /** Everything that was sent and received, without secrets. */
  exchanges: readonly Exchange[]
}

/**
 * How a service behaves where the specification is silent and a client notices, in the settings of the reference server.
 * What was not observed, or is not a value of the setting, is left out.
 */
export type ServiceProfile = AssumptionOptions

/** The observations that the reference server can be set to. The second part of the id of a check is the name of its setting. */
export function profileOf(results: readonly Pick<CheckResult, 'check' | 'observation'>[]): ServiceProfile {
  const settings = results.map(({ check, observation }) => ({ [check.replace(/^.*\//, '')]: observation }))
  const accepted = settings.filter((setting) => assumptionsSchema.safeParse(setting).success)
  return Object.assign({}, ...accepted) as ServiceProfile // the schema has just checked each of them
}
