import { createHeap, type HeapItem } from '@modelrun/kit'
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

interface Node<Value> extends HeapItem {
  readonly value: Value
}

/** A queue ordered by due time, then by creation. Taking any entry out costs no more than taking the first. */
export class TimerQueue<Value> {
  readonly #heap = createHeap<Node<Value>>()
  readonly #byHandle = new Map<unknown, Node<Value>>()
  #lastHandle = 0

  get size(): number {
    return this.#byHandle.size
  }

  /** The entry that is due first. */
  get first(): (TimerEntry<Value> & { readonly handle: number }) | undefined {
    const first = this.#heap.first()
    return first && { dueAt: first.at, value: first.value, handle: first.order }
  }

  /** @returns a handle for `remove` */
  add(dueAt: number, value: Value): number {
    const node = { at: dueAt, value, order: ++this.#lastHandle, slot: -1 }
    this.#heap.put(node)
    this.#byHandle.set(node.order, node)
    return node.order
  }

  /** @returns whether the entry was still in the queue */
  remove(handle: unknown): boolean {
    const node = this.#byHandle.get(handle)
    if (node === undefined) return false
    this.#byHandle.delete(handle)
    this.#heap.remove(node)
    return true
  }

  /** Takes the first entry out, if it is due at `time` or before. */
  takeDue(time: number): TimerEntry<Value> | undefined {
    const { first } = this
    if (first === undefined || first.dueAt > time) return undefined
    this.remove(first.handle)
    return first
  }

  /** Moves the due time of every entry. */
  shift(ms: number): void {
    for (const node of this.#byHandle.values()) node.at += ms
  }

  clear(): void {
    for (const handle of [...this.#byHandle.keys()]) this.remove(handle)
  }
}

/** When a timer set at `now` is due: at once for a negative time or `NaN`, `undefined` for never. */
export function dueTime(now: number, ms: number): number | undefined {
  const dueAt = now + (ms > 0 ? ms : 0)
  return dueAt <= LATEST_TIME_MS ? dueAt : undefined
}
