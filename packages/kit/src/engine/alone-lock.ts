/**
 * Lets a suspect, which has lost its process twice, run alone in this process, so that it takes no other task with it if it ends
 * the process again. While one waits or runs, no worker of the engine locks further tasks.
 */
export class AloneLock {
  #running = 0
  #isAlone = false
  /** Start the suspects that wait, oldest first. */
  readonly #suspects: (() => void)[] = []
  readonly #workers = new Set<() => void>()

  /** Whether further tasks may be locked. */
  get isFree(): boolean {
    return !this.#isAlone && this.#suspects.length === 0
  }

  /** @param onFree called when tasks may be locked again */
  join(onFree: () => void): void {
    this.#workers.add(onFree)
  }

  leave(onFree: () => void): void {
    this.#workers.delete(onFree)
  }

  /** A task starts. */
  start(): void {
    this.#running += 1
  }

  /** A suspect starts. Resolves once all other tasks have ended. */
  startAlone(): Promise<void> {
    return new Promise((resolve) => {
      this.#suspects.push(resolve)
      this.#startNext()
    })
  }

  /** A task has ended. */
  end(): void {
    this.#running -= 1
    this.#startNext()
  }

  #startNext(): void {
    if (this.#running > 0) return
    const wasAlone = this.#isAlone
    const start = this.#suspects.shift()
    this.#isAlone = start !== undefined
    if (start !== undefined) {
      this.#running = 1
      start()
    } else if (wasAlone) for (const onFree of this.#workers) onFree()
  }
}
