import { LATEST_TIME_MS } from './clock.ts'

/** Timers of a time that moves only by calls. */
export class VirtualTimers {
  readonly #queue = new TimerQueue<() => void>()
  #now: number
  #isClosed = false

  constructor(startTime: number) {
    this.#now = startTime
  }

  get now(): number {
    return this.#now
  }

  get size(): number {
    return this.#queue.size
  }

  /** The timer that is due first. */
  get next(): { readonly handle: number; readonly dueAt: number } | undefined {
    return this.#queue.first
  }

  add(callback: () => void, ms: number): number | undefined {
    const dueAt = dueTime(this.#now, ms)
    return dueAt === undefined || this.#isClosed ? undefined : this.#queue.add(dueAt, callback)
  }

  remove(handle: unknown): boolean {
    return this.#queue.remove(handle)
  }

  /** Moves time to the first timer and fires it, if it is due until `limit`. Returns whether one was. */
  fireNext(limit: number): boolean {
    const timer = this.#queue.takeDue(limit)
    if (timer === undefined) return false
    this.moveTo(timer.dueAt)
    callLoudly(timer.value)
    return true
  }

  /** Time never goes back. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time)
  }

  /** Sets the time, also backwards. Pending timers keep their remaining delay. */
  setTime(time: number): void {
    this.#queue.shift(time - this.#now)
    this.#now = time
  }

  /** Drops all timers and takes no more. */
  close(): void {
    this.#isClosed = true
    this.#queue.clear()
  }
}

// As with real timers: an error of a callback is an uncaught exception, and the other timers still fire.
function callLoudly(callback: () => void): void {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

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

/** When a timer set at `now` is due: at once for a negative time or `NaN`, `undefined` for never. */
export function dueTime(now: number, ms: number): number | undefined {
  const dueAt = now + (ms > 0 ? ms : 0)
  return dueAt <= LATEST_TIME_MS ? dueAt : undefined
}
