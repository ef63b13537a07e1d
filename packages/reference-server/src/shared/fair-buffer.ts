export interface FairBufferOptions<Item> {
  /** Largest weight of all items together. */
  limit: number
  /** Weight of an item, always the same for the same item. Default: 1. */
  weigh?: ((item: Item) => number) | undefined
  /** Called for each item that has to go. */
  onEvict?: ((item: Item) => void) | undefined
}

interface Share<Item> {
  items: Item[]
  weight: number
}

/** To take the first of a long array moves all others, so one part in so many goes at once. */
const PARTS = 128

/**
 * The items of several owners within one limit, oldest first.
 *
 * Over the limit, the owner with the most items loses its oldest. So a busy tenant does not displace the items of others,
 * and the memory of all together is bounded.
 */
export class FairBuffer<Owner, Item> {
  readonly #shares = new Map<Owner, Share<Item>>()
  readonly #limit: number
  readonly #weigh: (item: Item) => number
  readonly #onEvict: (item: Item) => void
  #weight = 0

  constructor({ limit, weigh = () => 1, onEvict = () => {} }: FairBufferOptions<Item>) {
    this.#limit = limit
    this.#weigh = weigh
    this.#onEvict = onEvict
  }

  add(owner: Owner, item: Item): void {
    const share = this.#shares.get(owner) ?? { items: [], weight: 0 }
    if (share.items.length === 0) this.#shares.set(owner, share)
    share.items.push(item)
    this.#changeWeight(share, this.#weigh(item))
    while (this.#weight > this.#limit) this.#dropOldest()
  }

  /** The items of an owner, oldest first; without one all items, owner by owner. */
  of(owner?: Owner): Item[] {
    const shares = owner === undefined ? [...this.#shares.values()] : [this.#shares.get(owner)]
    return shares.flatMap((share) => share?.items ?? [])
  }

  /** Drops what an owner holds, or all; not reported as evicted. */
  forget(owner?: Owner): void {
    this.#weight -= owner === undefined ? this.#weight : (this.#shares.get(owner)?.weight ?? 0)
    if (owner === undefined) this.#shares.clear()
    else this.#shares.delete(owner)
  }

  #dropOldest(): void {
    const shares = [...this.#shares]
    const [owner, share] = shares.reduce((one, other) => (other[1].weight > one[1].weight ? other : one))
    for (const item of share.items.splice(0, Math.ceil(share.items.length / PARTS))) {
      this.#changeWeight(share, -this.#weigh(item))
      this.#onEvict(item)
    }
    if (share.items.length === 0) this.#shares.delete(owner)
  }

  #changeWeight(share: Share<Item>, by: number): void {
    share.weight += by
    this.#weight += by
  }
}
