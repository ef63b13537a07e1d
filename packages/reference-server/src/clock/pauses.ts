import type { ServerClock } from './clock.ts'

/** Waits on the server's clock, which end early when the client has gone or the server closes. */
export class Pauses {
  readonly #clock: ServerClock
  readonly #ends = new Set<() => void>()
  #isClosed = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  /** Resolves with whether the time has passed. `Infinity` never does. */
  pause(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const finish = (hasPassed: boolean) => {
        this.#clock.clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#ends.delete(end)
        resolve(hasPassed)
      }
      const end = () => finish(false)
      const timer = this.#clock.setTimeout(() => finish(true), ms)
      this.#ends.add(end)
      signal.addEventListener('abort', end)
    })
  }

  /** Ends every pause, and those to come. */
  close(): void {
    this.#isClosed = true
    for (const end of [...this.#ends]) end()
  }
}
