/** From the submit to the first poll, in milliseconds. */
export const firstPollMs = 500

/** The same where results come by webhook: only a delivery that was lost is polled for. */
export const firstPollBesideWebhooksMs = 60_000

/** While nothing is known of a model: the next poll comes after this share of the job's age, within these limits. */
const UNKNOWN = { share: 0.5, minMs: 500, maxMs: 30_000 }

/** How far the polls of a job that takes longer than its model usually does are apart: a share of how late it is. */
const LATE_SHARE = 0.3

/** A job whose model is known is polled when this share of the jobs seen had ended, and closely from then on. */
const EARLY_SHARE = 0.9

/** How quickly what is known follows what is seen. */
const WEIGHT = 0.2

/** Learns how long the jobs of each model take, so that most are polled once or twice. */
export class PollDelays {
  readonly #expectedMs = new Map<string, number>()

  /** A job has ended after so long. */
  learn(model: string, durationMs: number): void {
    const before = this.#expectedMs.get(model) ?? durationMs
    this.#expectedMs.set(model, before + (durationMs - before) * WEIGHT)
  }

  /** Milliseconds until the next poll of a job of this age. */
  next(model: string, ageMs: number): number {
    const expectedMs = this.#expectedMs.get(model)
    if (expectedMs === undefined) return clamp(ageMs * UNKNOWN.share)
    const dueMs = expectedMs * EARLY_SHARE
    if (ageMs < dueMs) return Math.max(UNKNOWN.minMs, dueMs - ageMs)
    return clamp(Math.max(expectedMs * 0.1, (ageMs - dueMs) * LATE_SHARE))
  }
}

function clamp(delayMs: number): number {
  return Math.min(UNKNOWN.maxMs, Math.max(UNKNOWN.minMs, delayMs))
}
