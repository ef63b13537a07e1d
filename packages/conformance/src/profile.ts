import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import type { JsonValue } from './json.ts'

/**
 * How a service behaves where the specification is silent, in the names and values of the reference server's
 * assumptions. What was not observed is left out; what was observed and cannot be applied is in `notApplied` of the report.
 */
export interface ServiceProfile extends AssumptionOptions {}

/** Something that was observed and that the reference server does not do. */
export interface NotApplied {
  /** Name of the observation. */
  name: string
  /** What was observed. */
  observed: JsonValue
  /** What the reference server does instead. */
  reason: string
}
