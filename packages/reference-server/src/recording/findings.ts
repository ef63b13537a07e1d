import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import type { CatalogModel } from '../domain/catalog.ts'
import { type Exchange, errorIn } from './exchange.ts'

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

const MAX_NOTES = 100

/** What the traffic has shown of the points that the specification leaves open. The newest observation counts. */
export class Findings {
  profile: AssumptionOptions
  /** What was seen and the reference server does not do, each once. */
  readonly notReplayed: Set<string>

  constructor(profile: AssumptionOptions = {}, notReplayed: readonly string[] = []) {
    this.profile = profile
    this.notReplayed = new Set(notReplayed)
  }

  set(part: AssumptionOptions): void {
    this.profile = { ...this.profile, ...part }
  }

  note({ method, status, json }: Exchange, reason: string): void {
    this.#add([method, status, errorIn(json)?.code ?? '', `(${reason})`].filter((part) => part).join(' '))
  }

  #add(line: string): void {
    if (this.notReplayed.size < MAX_NOTES) this.notReplayed.add(line)
  }
}
