import type { ModelRun } from 'modelrun'

/** The prices of the models of a batch, each read once in a process. */
export class Prices {
  readonly #client: ModelRun
  readonly #prices = new Map<string, Promise<number>>()

  constructor(client: ModelRun) {
    this.#client = client
  }

  /** Credits of a run. Rejects as the service does when the model cannot be read. */
  of(model: string): Promise<number> {
    const known = this.#prices.get(model) ?? this.#read(model)
    this.#prices.set(model, known)
    return known
  }

  async #read(model: string): Promise<number> {
    try {
      return (await this.#client.models.get(model)).pricing.credits_per_run
    } catch (error) {
      this.#prices.delete(model)
      throw error
    }
  }
}
