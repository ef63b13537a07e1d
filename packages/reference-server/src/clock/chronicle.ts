/** Something that happened while the server's time was moved on. */
export interface ClockEvent {
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** Milliseconds from the beginning of the move. */
  readonly afterMs: number
  /**
   * - `job_ended`: a job succeeded, failed or was cancelled
   * - `hold_ended`: a run was held for about 55 s, and its answer is a 202 (section 8)
   * - `delivery_ended`: an attempt to deliver a result is over
   */
  readonly kind: 'job_ended' | 'hold_ended' | 'delivery_ended'
  /** Identifier of the job that it happened to. */
  readonly job_id: string
  /** A sentence for people. The same seed gives the same sentences, so they are fit for a snapshot. */
  readonly text: string
}

/** What is noted; the rest follows from when somebody began to listen. */
export type Note = Omit<ClockEvent, 'afterMs'>

/** Tells those who move time what happened meanwhile. Keeps nothing for anybody else. */
export class Chronicle {
  readonly #listeners = new Set<Note[]>()
  readonly #catchUp: () => void

  /** @param catchUp ends the jobs whose end nobody has looked at yet */
  constructor(catchUp: () => void = () => {}) {
    this.#catchUp = catchUp
  }

  /** Costs nothing while nobody listens. */
  note(describe: () => Note): void {
    if (this.#listeners.size === 0) return
    const note = describe()
    for (const notes of this.#listeners) notes.push(note)
  }

  /** What happens from now on until `work` is done, in order of time. */
  async during(now: number, work: () => Promise<void>): Promise<readonly ClockEvent[]> {
    this.#catchUp()
    const notes: Note[] = []
    this.#listeners.add(notes)
    try {
      await work()
      this.#catchUp()
    } finally {
      this.#listeners.delete(notes)
    }
    return notes.sort((one, other) => one.at - other.at).map((note) => ({ ...note, afterMs: note.at - now }))
  }
}
