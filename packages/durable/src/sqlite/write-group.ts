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
  #waiting: WaitingWork[] = []

  constructor(write: Write) {
    this.#write = write
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
    const isWritten = await this.#tryWrite(group, group.length > 1 ? undefined : group[0]?.reject)
    // Each on its own: what fails takes no other with it.
    if (!isWritten && group.length > 1) for (const one of group) await this.#tryWrite([one], one.reject)
  }

  async #tryWrite(group: readonly WaitingWork[], reject: WaitingWork['reject'] | undefined): Promise<boolean> {
    try {
      const toDisk = group.some((work) => work.toDisk)
      const settle = await this.#write({ toDisk }, () => group.map(({ run }) => run()))
      for (const one of settle) one()
      return true
    } catch (error) {
      reject?.(error)
      return false
    }
  }
}
