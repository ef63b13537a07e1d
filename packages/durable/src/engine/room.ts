/**
 * Who may start tasks in this process. A task that has lost its process twice runs alone, so that it takes no other with
 * it if it does so again.
 */
export class Room<Member extends object> {
  #running = 0
  #alone: Member | undefined
  readonly #members = new Map<Member, () => void>()

  /** @param onChange called when the member may start tasks that it could not start before */
  join(member: Member, onChange: () => void): void {
    this.#members.set(member, onChange)
  }

  leave(member: Member): void {
    this.#members.delete(member)
    this.endAlone(member)
  }

  /** Which tasks the member may start now. */
  allows(member: Member): 'any' | 'suspect' | 'none' {
    if (this.#alone === undefined) return 'any'
    return this.#alone === member && this.#running === 0 ? 'suspect' : 'none'
  }

  /** From now on nothing starts in this process but a suspect of this member, once all others have ended. */
  wantAlone(member: Member): void {
    this.#alone ??= member
  }

  endAlone(member: Member): void {
    if (this.#alone !== member) return
    this.#alone = undefined
    this.#notify()
  }

  start(): void {
    this.#running += 1
  }

  end(): void {
    this.#running -= 1
    if (this.#running === 0) this.#notify()
  }

  #notify(): void {
    for (const onChange of this.#members.values()) onChange()
  }
}
