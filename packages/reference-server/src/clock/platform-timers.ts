/** The longest time that timers of the platform take; more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A timer of the platform, for any time. The platform's functions are looked up at each call, so fake timers work. */
export class PlatformTimer {
  #timer: ReturnType<typeof globalThis.setTimeout> | undefined

  constructor(callback: () => void, ms: number) {
    this.#start(callback, ms)
  }

  stop(): void {
    globalThis.clearTimeout(this.#timer)
  }

  #start(callback: () => void, ms: number): void {
    const stepMs = Math.min(ms, LONGEST_TIMER_MS)
    const next = () => (ms > stepMs ? this.#start(callback, ms - stepMs) : callback())
    this.#timer = globalThis.setTimeout(next, stepMs)
  }
}
