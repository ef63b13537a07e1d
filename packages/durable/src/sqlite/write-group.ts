/** Work that waits for the end of the turn of the event loop. */
interface WaitingWork {
  toDisk: boolean
  /** Gives what to call once the work is kept. */
  run(): () => void
  reject(error: unknown): void
}

/** Runs work in one transaction. */
export type Write = <T>(options: { toDisk: boolean }, work: () => T) => Promise<T>

/** What is asked for in one turn of the event loop is written in one transaction: one wait for the disk instead of many. */
export class WriteGroup {
  readonly #write: Write
  readonly #isForAll: (error: unknown) => boolean
  #waiting: WaitingWork[] = []

  /** @param isForAll whether an error is that of the whole transaction, so that no work has to be tried on its own */
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
    // Each on its own: what fails takes no other with it.
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
