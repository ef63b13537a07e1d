import { type Exchange, errorIn, membersOf, type Target, targetOf } from './exchange.ts'
import type { Recording } from './findings.ts'
import { Findings } from './findings.ts'
import { SeenJobs } from './seen-jobs.ts'
import { SeenModels } from './seen-models.ts'

/** Makes a recording from exchanges, in the order in which their responses came. */
export class Learner {
  readonly #service: string
  readonly #models: SeenModels
  readonly #findings: Findings
  readonly #jobs: SeenJobs
  #exchanges: number

  constructor({ service, catalog, profile, notReplayed, exchanges }: Recording) {
    this.#service = service
    this.#models = new SeenModels(catalog)
    this.#findings = new Findings(profile, notReplayed)
    this.#jobs = new SeenJobs(this.#models, this.#findings)
    this.#exchanges = exchanges
  }

  recording(): Recording {
    const { profile, notReplayed } = this.#findings
    const catalog = this.#models.all()
    return { service: this.#service, exchanges: this.#exchanges, catalog, profile, notReplayed: [...notReplayed] }
  }

  learn(exchange: Exchange): void {
    this.#exchanges++
    const target = targetOf(exchange)
    if (target?.route === 'runModel') this.#run(exchange, target)
    else if (target?.route === 'cancelJob') this.#jobs.cancelled(exchange, target.id)
    else if (target?.route === 'getJob') this.#jobs.read(exchange, target.id)
    else if (target !== undefined && exchange.status < 300) this.#readModels(exchange, target)
  }

  #readModels(exchange: Exchange, target: Target): void {
    const { json } = exchange
    const shown = target.route === 'getModel' ? [json] : [membersOf(json).models].flat()
    for (const model of shown) {
      const problem = this.#models.add(model)
      if (problem !== undefined) this.#findings.note(exchange, problem)
    }
  }

  #run(exchange: Exchange, { id }: Target): void {
    const { job_id } = membersOf(exchange.json)
    const isMade = job_id !== undefined || errorIn(exchange.json)?.code === 'PROVIDER_FAILURE'
    if (isMade) this.#jobs.ran(exchange, id)
  }
}
