import { afterRealTime } from './real-time.ts'

/** Computes a value at an interval of real time, once for all listeners. Without listeners it has no timer. */
export class SharedTicker<Value> {
  readonly #everyMs: number
  readonly #compute: () => Value
  readonly #listeners = new Set<(value: Value) => void>()
  #cancelTimer: (() => void) | undefined

  constructor(everyMs: number, compute: () => Value) {
    this.#everyMs = everyMs
    this.#compute = compute
  }

  /** Calls the listener now, and at each tick until it is removed. */
  add(listener: (value: Value) => void): void {
    this.#listeners.add(listener)
    this.#cancelTimer ??= this.#schedule()
    listener(this.#compute())
  }

  remove(listener: (value: Value) => void): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #schedule(): () => void {
    return afterRealTime(this.#everyMs, () => {
      this.#cancelTimer = this.#schedule()
      const value = this.#compute()
      for (const listener of this.#listeners) listener(value)
    })
  }
}
