import type { ModelRun } from 'modelrun'

/** The prices of models. Each is read once in a process. */
export class Prices {
  readonly #client: ModelRun
  readonly #prices = new Map<string, Promise<number>>()

  constructor(client: ModelRun) {
    this.#client = client
  }

  /** Returns the credits of a run. Rejects when the model cannot be read. */
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
