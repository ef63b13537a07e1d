/** Beyond this many empty places at its front, a queue that is mostly empty places is written anew. */
const MAX_EMPTY = 1024

/** A queue whose oldest item costs as little to take as its newest to add. */
export class Fifo<Item> implements Iterable<Item> {
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

  [Symbol.iterator](): Iterator<Item> {
    return this.toArray().values()
  }
}
