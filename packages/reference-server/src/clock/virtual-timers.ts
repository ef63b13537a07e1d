import { createHeap, type HeapItem } from '@modelrun/kit'
import { LATEST_TIME_MS } from './clock.ts'

/** Its handle is its `order`. */
export interface Timer extends HeapItem {
  readonly callback: () => void
}

/** Timers of a time that moves only by calls. Those that are due together fire in the order in which they were set. */
export class VirtualTimers {
  readonly #heap = createHeap<Timer>()
  readonly #byHandle = new Map<unknown, Timer>()
  #lastHandle = 0
  #now: number
  #isClosed = false

  constructor(startTime: number) {
    this.#now = startTime
  }

  get now(): number {
    return this.#now
  }

  get size(): number {
    return this.#byHandle.size
  }

  get next(): Readonly<HeapItem> | undefined {
    return this.#heap.first()
  }

  /** @returns a handle for `remove` */
  add(callback: () => void, ms: number): number | undefined {
    const at = dueTime(this.#now, ms)
    if (at === undefined || this.#isClosed) return undefined
    const timer = { at, callback, order: ++this.#lastHandle, slot: -1 }
    this.#heap.put(timer)
    this.#byHandle.set(timer.order, timer)
    return timer.order
  }

  /** @returns whether the timer was still to fire */
  remove(handle: unknown): boolean {
    const timer = this.#byHandle.get(handle)
    if (timer !== undefined) this.#heap.remove(timer)
    return this.#byHandle.delete(handle)
  }

  /** Moves time to the first timer and fires it, if it is due until `limit`. Returns whether one was. */
  fireNext(limit: number): boolean {
    const timer = this.#heap.first()
    if (timer === undefined || timer.at > limit) return false
    this.remove(timer.order)
    this.moveTo(timer.at)
    callLoudly(timer.callback)
    return true
  }

  /** Time never goes back. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time)
  }

  /** Sets the time, also backwards. Pending timers keep their remaining delay. */
  setTime(time: number): void {
    for (const timer of this.#byHandle.values()) timer.at += time - this.#now
    this.#now = time
  }

  /** Takes no more timers, and gives up those that were to fire, in their order. */
  close(): Timer[] {
    this.#isClosed = true
    const timers = [...this.#byHandle.values()].sort((one, other) => one.at - other.at || one.order - other.order)
    for (const { order } of timers) this.remove(order)
    return timers
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

/** When a timer set at `now` is due: at once for a negative time or `NaN`, `undefined` for never. */
export function dueTime(now: number, ms: number): number | undefined {
  const dueAt = now + (ms > 0 ? ms : 0)
  return dueAt <= LATEST_TIME_MS ? dueAt : undefined
}
