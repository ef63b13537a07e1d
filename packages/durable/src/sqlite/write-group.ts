/** Work that waits for the next transaction. */
interface WaitingWork {
  toDisk: boolean
  /** Runs the work. Returns a function to call after the commit. */
  run(): () => void
  reject(error: unknown): void
}

/** Runs work in one transaction. */
export type Write = <T>(options: { toDisk: boolean }, work: () => T) => Promise<T>

/** Writes all work of one turn of the event loop in one transaction: one wait for the disk instead of many. */
export class WriteGroup {
  readonly #write: Write
  readonly #isForAll: (error: unknown) => boolean
  #waiting: WaitingWork[] = []

  /** @param isForAll whether an error concerns the whole transaction, so that its work is not repeated one by one */
  constructor(write: Write, isForAll: (error: unknown) => boolean = () => false) {
    this.#write = write
    this.#isForAll = isForAll
  }

  add<T>(toDisk: boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = work()
        return () => resolve(result)
      }
      if (this.#waiting.length === 0) setImmediate(() => void this.#writeWaiting())
      this.#waiting.push({ toDisk, run, reject })
    })
  }

  async #writeWaiting(): Promise<void> {
    const group = this.#waiting
    this.#waiting = []
    const failure = await this.#tryWrite(group)
    if (failure === undefined) return
    if (group.length === 1 || this.#isForAll(failure.error)) for (const { reject } of group) reject(failure.error)
    // Each in a transaction of its own, so that work that fails does not affect other work.
    else for (const one of group) await this.#writeAlone(one)
  }

  async #writeAlone(work: WaitingWork): Promise<void> {
    const failure = await this.#tryWrite([work])
    if (failure !== undefined) work.reject(failure.error)
  }

  /** @returns why nothing was written; undefined when all was */
  async #tryWrite(group: readonly WaitingWork[]): Promise<{ error: unknown } | undefined> {
    try {
      const toDisk = group.some((work) => work.toDisk)
      const settle = await this.#write({ toDisk }, () => group.map(({ run }) => run()))
      for (const one of settle) one()
      return undefined
    } catch (error) {
      return { error }
    }
  }
}
