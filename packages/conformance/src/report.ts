import type { Exchange } from './exchange.ts'
import type { Verdict } from './finding.ts'
import type { JsonValue } from './json.ts'
import type { ServiceProfile } from './profile.ts'
import type { Requirement } from './requirements.ts'

/** Result of one check. */
export interface CheckResult {
  /** Id of the check, `area/what`. */
  check: string
  /** The first part of the id. */
  area: string
  /** The statements of the specification that it covers. */
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

/** How many checks ended with each verdict. */
export type Summary = Record<Verdict, number>

/** Result of a run of the suite. */
export interface ConformanceReport {
  /** Base URL of the service that was checked. */
  baseUrl: string
  /** ISO 8601, UTC, on the suite's clock. */
  startedAt: string
  /** On the suite's clock. */
  durationMs: number
  /** How many checks ended with each verdict. */
  summary: Summary
  /** What the runs cost. */
  credits: {
    /** What the plan costs: rejected and cancelled runs, and reads, are free (sections 1 and 3). */
    planned: number
    /** The limit that was given. */
    limit: number
    /** Price of the runs that were sent, without those that were rejected or cancelled. A failed one may be free. */
    spent: number
  }
  /** One result for each check, in the order of the suite. */
  results: readonly CheckResult[]
  /** What the service does where the specification is silent, by the setting of the reference server. */
  observations: Readonly<Record<string, JsonValue>>
  /** The observations that the reference server can be set to: its option `profile`. */
  profile: ServiceProfile
  /** Everything that was sent and received, without secrets. */
  exchanges: readonly Exchange[]
}

/** Whether no check failed. */
export function isConformant(report: Pick<ConformanceReport, 'summary'>): boolean {
  return report.summary.fail === 0
}
