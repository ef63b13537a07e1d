export interface FairBufferOptions<Item> {
  /** Largest weight of all items together. */
  limit: number
  /** Weight of an item, always the same for the same item. Default: 1. */
  weigh?: ((item: Item) => number) | undefined
  /** Called for each item that has to go. */
  onEvict?: ((item: Item) => void) | undefined
}

interface Share<Owner, Item> {
  readonly owner: Owner
  readonly items: Fifo<Item>
  weight: number
}

/**
 * The items of several owners within one limit, oldest first.
 *
 * Over the limit, the owner with the most items loses its oldest. So a busy tenant does not displace the items of others,
 * and the memory of all together is bounded.
 */
export class FairBuffer<Owner, Item> {
  readonly #shares = new Map<Owner, Share<Owner, Item>>()
  readonly #limit: number
  readonly #weigh: (item: Item) => number
  readonly #onEvict: (item: Item) => void
  #weight = 0

  constructor({ limit, weigh = () => 1, onEvict = () => {} }: FairBufferOptions<Item>) {
    this.#limit = limit
    this.#weigh = weigh
    this.#onEvict = onEvict
  }

  /** Weight of all items. */
  get weight(): number {
    return this.#weight
  }

  add(owner: Owner, item: Item): void {
    const share = this.#shares.get(owner) ?? this.#newShare(owner)
    const weight = this.#weigh(item)
    share.items.push(item)
    share.weight += weight
    this.#weight += weight
    if (this.#weight > this.#limit) this.#evict()
  }

  /** The items of an owner, oldest first; without one all items, owner by owner. */
  of(owner?: Owner): Item[] {
    const shares = owner === undefined ? [...this.#shares.values()] : [this.#shares.get(owner)]
    return shares.flatMap((share) => share?.items.toArray() ?? [])
  }

  /** Drops what an owner holds, or all; not reported as evicted. */
  forget(owner?: Owner): void {
    this.#weight -= owner === undefined ? this.#weight : (this.#shares.get(owner)?.weight ?? 0)
    if (owner === undefined) this.#shares.clear()
    else this.#shares.delete(owner)
  }

  #newShare(owner: Owner): Share<Owner, Item> {
    const share = { owner, items: new Fifo<Item>(), weight: 0 }
    this.#shares.set(owner, share)
    return share
  }

  #evict(): void {
    // Finding the heaviest owner checks every owner, so with many owners a few items go at once. They are so few that an
    // owner among thousands is not left without items.
    const atOnce = Math.min(this.#shares.size, Math.ceil(this.#limit / 100))
    while (this.#weight > this.#limit) {
      const heaviest = this.#heaviest()
      if (heaviest === undefined) return
      const few = Math.max(1, Math.min(atOnce, heaviest.items.size >> 3))
      for (let count = 0; count < few; count++) this.#dropOldest(heaviest)
      if (heaviest.items.size === 0) this.#shares.delete(heaviest.owner)
    }
  }

  #dropOldest(share: Share<Owner, Item>): void {
    const item = share.items.shift()
    if (item === undefined) return
    const weight = this.#weigh(item)
    share.weight -= weight
    this.#weight -= weight
    this.#onEvict(item)
  }

  #heaviest(): Share<Owner, Item> | undefined {
    let heaviest: Share<Owner, Item> | undefined
    for (const share of this.#shares.values()) {
      if (heaviest === undefined || share.weight > heaviest.weight) heaviest = share
    }
    return heaviest
  }
}

/** Beyond this many empty places at its front, a queue that is mostly empty places is rewritten. */
const MAX_EMPTY = 1024

/** A queue whose oldest item costs as little to take as its newest to add. */
export class Fifo<Item> {
  #items: (Item | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  /** Takes the oldest. */
  shift(): Item | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head > MAX_EMPTY && this.#head > this.#items.length / 2) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** Oldest first. */
  toArray(): Item[] {
    // Only places before the head are empty, so no `undefined` is in the part that is copied.
    return this.#items.slice(this.#head) as Item[]
  }
}
