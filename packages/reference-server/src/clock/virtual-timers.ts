import { dueTime } from './clock.ts'
import { TimerQueue } from './timer-queue.ts'

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
