import { type AssumptionOptions, assumptionsSchema } from '@modelrun/contract/assumptions'
import type { JsonValue } from './json.ts'

/**
 * How a service behaves where the specification is silent and a client notices, in the settings of the reference server.
 * What was not observed, or is not a value of the setting, is left out.
 */
export type ServiceProfile = AssumptionOptions

/** The observations that the reference server can be set to. */
export function profileOf(observations: Readonly<Record<string, JsonValue>>): ServiceProfile {
  const settings = Object.entries(observations).map(([name, value]) => ({ [name]: value }))
  const accepted = settings.filter((setting) => assumptionsSchema.safeParse(setting).success)
  return Object.assign({}, ...accepted) as ServiceProfile // the schema has just checked each of them
}
