/** Something that happens at a time. */
export interface TimerEntry<Value> {
  readonly dueAt: number
  readonly value: Value
}

interface Node<Value> extends TimerEntry<Value> {
  dueAt: number
  /** Rises with every entry, so it is also the order of creation. */
  readonly handle: number
  /** Index in the heap. */
  position: number
}

/**
 * A queue ordered by due time, then by creation: a binary heap in which every entry knows its place, so that taking
 * one out costs no more than taking the first.
 */
export class TimerQueue<Value> {
  readonly #heap: Node<Value>[] = []
  readonly #byHandle = new Map<unknown, Node<Value>>()
  #lastHandle = 0

  get size(): number {
    return this.#heap.length
  }

  /** The entry that is due first. */
  get first(): (TimerEntry<Value> & { readonly handle: number }) | undefined {
    return this.#heap[0]
  }

  /** @returns a handle for `remove` */
  add(dueAt: number, value: Value): number {
    const node = { dueAt, value, handle: ++this.#lastHandle, position: this.#heap.length }
    this.#heap.push(node)
    this.#byHandle.set(node.handle, node)
    this.#rise(node)
    return node.handle
  }

  /** @returns whether the entry was still in the queue */
  remove(handle: unknown): boolean {
    const node = this.#byHandle.get(handle)
    if (node === undefined) return false
    this.#takeOut(node)
    return true
  }

  /** Takes the first entry out, if it is due at `time` or before. */
  takeDue(time: number): TimerEntry<Value> | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.dueAt > time) return undefined
    this.#takeOut(first)
    return first
  }

  /** Moves the due time of every entry. */
  shift(ms: number): void {
    for (const node of this.#heap) node.dueAt += ms
  }

  clear(): void {
    this.#heap.length = 0
    this.#byHandle.clear()
  }

  #takeOut(node: Node<Value>): void {
    this.#byHandle.delete(node.handle)
    const last = this.#heap.pop()
    if (last === undefined || last === node) return
    this.#place(last, node.position)
    this.#rise(last)
    this.#sink(last)
  }

  #rise(node: Node<Value>): void {
    for (;;) {
      const parent = node.position > 0 ? this.#heap[(node.position - 1) >> 1] : undefined
      if (parent === undefined || isBefore(parent, node)) return
      this.#swap(parent, node)
    }
  }

  #sink(node: Node<Value>): void {
    for (;;) {
      const left = this.#heap[2 * node.position + 1]
      const right = this.#heap[2 * node.position + 2]
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || isBefore(node, child)) return
      this.#swap(node, child)
    }
  }

  #swap(one: Node<Value>, other: Node<Value>): void {
    const position = one.position
    this.#place(one, other.position)
    this.#place(other, position)
  }

  #place(node: Node<Value>, position: number): void {
    this.#heap[position] = node
    node.position = position
  }
}

function isBefore(one: Node<unknown>, other: Node<unknown>): boolean {
  return one.dueAt === other.dueAt ? one.handle < other.handle : one.dueAt < other.dueAt
}
