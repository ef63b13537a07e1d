/** How a job ends by itself. `never`: it has a status that the specification does not name, until the service is healed. */
export type JobEnd = 'succeeded' | 'failed' | 'cancelled' | 'never'

/** A job of the service of this folder. Its state follows from its age. */
export class ServiceJob {
  readonly id: string
  /** The run that created it: the text of its input. */
  readonly key: string
  readonly createdAt = performance.now()
  #endMs: number
  #end: JobEnd
  #isCancelled = false

  constructor(id: string, key: string, plan: { end: JobEnd; endMs: number }) {
    this.id = id
    this.key = key
    this.#end = plan.end
    this.#endMs = plan.endMs
  }

  get msLeft(): number {
    return Math.max(0, this.createdAt + this.#endMs - performance.now())
  }

  get status(): string {
    if (this.#isCancelled) return 'cancelled'
    if (this.msLeft > 0) return this.msLeft > this.#endMs / 2 ? 'queued' : 'processing'
    return this.#end === 'never' ? 'defrosting' : this.#end
  }

  /** The service charges a run once, when its job succeeds. */
  get isCharged(): boolean {
    return this.status === 'succeeded'
  }

  /** Url of the file that only this job produces. */
  get fileUrl(): string {
    return `https://files.example.com/${this.id}/0.png`
  }

  get output() {
    return { type: 'image', items: [{ type: 'image', url: this.fileUrl }] }
  }

  /** Returns whether there was something to cancel. */
  cancel(): boolean {
    if (!['queued', 'processing', 'defrosting'].includes(this.status)) return false
    this.#isCancelled = true
    return true
  }

  /** A job that would never end succeeds, and one that is slow ends now. */
  heal(): void {
    if (this.#endMs > 1_000) this.#endMs = 0
    if (this.#end === 'never') this.#end = 'succeeded'
  }
}
