/** The credits of an account as JSON. */
export interface CreditsState {
  granted: number
  /** What a reset gives. */
  grant: number
  charged: number
}

/**
 * The credits of one account (section 1). A run reserves its price when it starts, so that runs at the same time
 * cannot spend the same credits; success charges it, any other end gives it back.
 */
export class Credits {
  #granted: number
  /** What a reset gives. */
  #grant: number
  #charged = 0
  #reserved = 0

  constructor(granted: number) {
    this.#granted = granted
    this.#grant = granted
  }

  get granted(): number {
    return this.#granted
  }

  get charged(): number {
    return this.#charged
  }

  /** The price of unfinished runs. */
  get reserved(): number {
    return this.#reserved
  }

  /** What has not been charged. */
  get left(): number {
    return this.granted - this.#charged
  }

  /** What new runs can spend: what is left without the price of unfinished runs. */
  get available(): number {
    return this.left - this.#reserved
  }

  /** From now on new runs can spend so many, beside unfinished runs; after a reset too. */
  limit(available: number): void {
    this.#granted = this.#charged + this.#reserved + available
    this.#grant = available
  }

  /** @returns whether there was enough */
  reserve(price: number): boolean {
    if (price > this.available) return false
    this.#reserved += price
    return true
  }

  /** Turns a reservation into a charge. */
  charge(price: number): void {
    this.#reserved -= price
    this.#charged += price
  }

  /** Gives a reservation back. */
  release(price: number): void {
    this.#reserved -= price
  }

  /** The state from which another server can continue; the reservations follow from the jobs. */
  state(): CreditsState {
    return { granted: this.#granted, grant: this.#grant, charged: this.#charged }
  }

  /** Continues from where other credits stood; without reservations. */
  restore({ granted, grant, charged }: CreditsState): void {
    this.#granted = granted
    this.#grant = grant
    this.#charged = charged
    this.#reserved = 0
  }

  /** As if nothing had ever been charged. */
  reset(): void {
    this.#charged = 0
    this.#granted = this.#grant
  }
}
