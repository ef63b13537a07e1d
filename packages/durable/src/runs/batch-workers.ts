import type { Worker } from '../engine/engine.ts'

/** The workers of a batch in this process. They run while they have a user: `start()`, or a loop. */
export class BatchWorkers {
  readonly #start: () => Worker[]
  readonly #users = new Set<unknown>()
  #workers: Worker[] = []
  #stopped: Promise<unknown> = Promise.resolve()

  constructor(start: () => Worker[]) {
    this.#start = start
  }

  use(user: unknown): void {
    this.#users.add(user)
    if (this.#workers.length === 0) this.#workers = this.#start()
  }

  /** After the last user, no further task starts. Resolves when the results of running requests are stored. */
  async release(user: unknown): Promise<void> {
    this.#users.delete(user)
    if (this.#users.size > 0) return
    const stopping = this.#workers
    this.#workers = []
    this.#stopped = Promise.all([this.#stopped, ...stopping.map((worker) => worker.stop())])
    await this.#stopped
  }
}
