/**
 * The credits of one account (section 1). A run reserves its price when it starts, so that runs at the same time
 * cannot spend the same credits; success charges it, any other end gives it back.
 */
export class Credits {
  readonly granted: number
  #charged = 0
  #reserved = 0

  constructor(granted: number) {
    this.granted = granted
  }

  /** What has not been charged. */
  get left(): number {
    return this.granted - this.#charged
  }

  /** What new runs can spend: what is left without the price of the runs going on. */
  get available(): number {
    return this.left - this.#reserved
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

  /** As if nothing had ever been charged. */
  reset(): void {
    this.#charged = 0
  }
}
