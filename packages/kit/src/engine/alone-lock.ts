/**
 * Lets one task run alone in this process. A task that has lost its process twice runs alone, so that it takes no other task
 * with it if it ends the process again. The members are the workers of an engine.
 */
export class AloneLock<Member extends object> {
  #running = 0
  #holder: Member | undefined
  readonly #members = new Map<Member, () => void>()

  /** @param onChange called when the member may start tasks that it could not start before */
  join(member: Member, onChange: () => void): void {
    this.#members.set(member, onChange)
  }

  leave(member: Member): void {
    this.#members.delete(member)
    this.release(member)
  }

  /** Which tasks the member may start now. */
  allows(member: Member): 'any' | 'suspect' | 'none' {
    if (this.#holder === undefined) return 'any'
    return this.#holder === member && this.#running === 0 ? 'suspect' : 'none'
  }

  /** From now on only a suspect of this member may start in this process, once all other tasks have ended. */
  request(member: Member): void {
    this.#holder ??= member
  }

  release(member: Member): void {
    if (this.#holder !== member) return
    this.#holder = undefined
    this.#notify()
  }

  /** A task starts. */
  start(): void {
    this.#running += 1
  }

  /** A task has ended. */
  end(): void {
    this.#running -= 1
    // Without a holder no worker waits for this, and each that wakes reads the store.
    if (this.#running === 0 && this.#holder !== undefined) this.#notify()
  }

  #notify(): void {
    for (const onChange of this.#members.values()) onChange()
  }
}
