import type { ConformanceClock } from '../src/clock.ts'

/** So many turns of the event loop without anything new mean that everything waits for time. */
const IDLE_TURNS = 4

/** Time that jumps to the next timer as soon as nothing else is left to do. */
export class VirtualClock implements ConformanceClock {
  #now = Date.UTC(2026, 0, 1)
  #timers = new Map<number, { at: number; callback: () => void }>()
  #lastId = 0
  #isRunning = false

  readonly now = (): number => this.#now

  readonly setTimeout = (callback: () => void, ms: number): number => {
    this.#timers.set(++this.#lastId, { at: this.#now + Math.max(0, ms), callback })
    if (!this.#isRunning) void this.#run()
    return this.#lastId
  }

  readonly clearTimeout = (handle: unknown): void => {
    this.#timers.delete(Number(handle))
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#timers.size > 0) {
      for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
      const [next] = [...this.#timers].toSorted(([, one], [, other]) => one.at - other.at)
      if (next === undefined) continue
      const [id, { at, callback }] = next
      this.#timers.delete(id)
      this.#now = Math.max(this.#now, at)
      callback()
    }
    this.#isRunning = false
  }
}
