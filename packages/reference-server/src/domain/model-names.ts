import { NameIndex } from './name-index.ts'

/** The ids of the models, to find the one that was probably meant. */
export class ModelNames {
  readonly #index: NameIndex
  readonly #byLastPart = new Map<string, string>()

  constructor(ids: readonly string[]) {
    this.#index = new NameIndex(ids)
    for (const id of ids) {
      const part = lastPart(id)
      if (!this.#byLastPart.has(part)) this.#byLastPart.set(part, id)
    }
  }

  /** The id that is written almost so. */
  closest(id: string): string | undefined {
    return this.#index.closest(id)
  }

  /** The id that differs in the provider alone. */
  ofAnyProvider(id: string): string | undefined {
    return this.#byLastPart.get(lastPart(id))
  }
}

/** Of `lumen/aurora-video` the part after the provider, however the slash was encoded. */
function lastPart(id: string): string {
  const parts = id.toLowerCase().split(/\/|%2f/)
  return parts.at(-1) ?? ''
}
