/** Measures for how long this process was too busy to run its timers. */
export class Lag {
  readonly #samples: { at: number; ms: number }[] = []
  readonly #timer: NodeJS.Timeout
  #expected = performance.now() + 20

  constructor() {
    this.#timer = setInterval(() => {
      const at = performance.now()
      this.#samples.push({ at, ms: Math.max(0, at - this.#expected) })
      if (this.#samples.length > 2_000) this.#samples.shift()
      this.#expected = at + 20
    }, 20)
  }

  /** The sum of all delays since then. */
  since(startedAt: number): number {
    return this.#samples.reduce((sum, { at, ms }) => sum + (at >= startedAt ? ms : 0), 0)
  }

  /** The longest delay since then. */
  longest(startedAt: number): number {
    const late = performance.now() - this.#expected
    return this.#samples.reduce((most, { at, ms }) => (at >= startedAt ? Math.max(most, ms) : most), late)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
