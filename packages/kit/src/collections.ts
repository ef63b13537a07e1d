/** An item of a heap, ordered by `at`, and by `order` where `at` is equal. */
export interface HeapItem {
  /** When it is due, in milliseconds of the client's clock. */
  at: number
  /** Increases with each item, so that the older one of two items that are due together is first. */
  order: number
  /** Index in the heap; -1 while the item is not in a heap. Only the heap writes it. */
  slot: number
}

/** Items by their due time. Adding and removing take logarithmic time. */
export function createHeap<T extends HeapItem>() {
  const items: T[] = []

  function place(item: T, slot: number): void {
    items[slot] = item
    item.slot = slot
  }

  /** Moves an item up to its parent's place, then down to its earlier child's, as long as they are out of order. */
  function settle(item: T, from: number): void {
    let slot = from
    for (let parent = items[(slot - 1) >> 1]; parent && isBefore(item, parent); ) {
      const next = (slot - 1) >> 1
      place(parent, slot)
      slot = next
      parent = items[(slot - 1) >> 1]
    }
    for (let child = earlierChild(slot); child && isBefore(child, item); child = earlierChild(slot)) {
      const next = child.slot
      place(child, slot)
      slot = next
    }
    place(item, slot)
  }

  function earlierChild(slot: number): T | undefined {
    const [left, right] = [items[2 * slot + 1], items[2 * slot + 2]]
    return left && right && isBefore(right, left) ? right : left
  }

  return {
    first: (): T | undefined => items[0],
    /** Adds an item, or moves it to where its changed `at` belongs. */
    put: (item: T): void => settle(item, item.slot < 0 ? items.length : item.slot),
    remove: (item: T): void => {
      if (item.slot < 0) return
      const { slot } = item
      const last = items.pop()
      item.slot = -1
      if (last && last !== item) settle(last, slot)
    },
  }
}

function isBefore(a: HeapItem, b: HeapItem): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** A map of the newest entries: one more than `most`, and the oldest goes. An entry that is set again is the newest. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.keys().next()
    if (this.size > this.#most && !oldest.done) this.delete(oldest.value)
    return this
  }
}

/** Copies chunks together as they come: kept one by one, chunks of one byte would take a hundred times their size. */
export function collectBytes(maxBytes: number) {
  const encoder = new TextEncoder()
  let bytes = new Uint8Array()
  let byteCount = 0
  return {
    get isTooLarge() {
      return byteCount > maxBytes
    },
    add: (value: Uint8Array | string) => {
      const chunk = typeof value === 'string' ? encoder.encode(value) : value
      const start = byteCount
      byteCount += chunk.byteLength
      if (byteCount > maxBytes) {
        bytes = new Uint8Array()
        return
      }
      if (byteCount > bytes.byteLength) {
        const grown = new Uint8Array(Math.min(maxBytes, byteCount * 2))
        grown.set(bytes)
        bytes = grown
      }
      bytes.set(chunk, start)
    },
    bytes: () => bytes.slice(0, byteCount),
  }
}
