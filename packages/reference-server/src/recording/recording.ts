import type { AssumptionOptions } from '../assumptions/assumptions.ts'
import type { CatalogModel } from '../domain/catalog.ts'

/** What was learned of a service from the traffic with it. */
export interface Recording {
  /** URL of the service. */
  service: string
  /** How many requests were recorded. */
  exchanges: number
  /** The models that were listed, read or run, with what their runs did. */
  catalog: readonly CatalogModel[]
  /** The choices of the service where the specification is silent. */
  profile: AssumptionOptions
  /** What was seen and the reference server does not do, a line for each. */
  notReplayed: readonly string[]
}
