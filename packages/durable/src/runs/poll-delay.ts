/** Milliseconds from the submit to the first poll. */
export const firstPollMs = 500

/** Milliseconds from the submit to the first poll of a batch with webhooks, which only polls for missing deliveries. */
export const firstPollBesideWebhooksMs = 60_000

/** Unknown model: the next poll is after this share of the age of the job, within these limits. */
const UNKNOWN = { share: 0.5, minMs: 500, maxMs: 30_000 }

/** Late job: the next poll is after this share of the time since the job was expected to end. */
const LATE_SHARE = 0.3

/** Known model: the first poll is after this share of the expected duration. */
const EARLY_SHARE = 0.9

/** Weight of a new duration in the moving average. */
const WEIGHT = 0.2

/** Learns the expected duration of each model, so that most jobs are polled once or twice. */
export class PollDelays {
  readonly #expectedMs = new Map<string, number>()

  /** Adds the duration of a finished job. */
  learn(model: string, durationMs: number): void {
    const before = this.#expectedMs.get(model) ?? durationMs
    this.#expectedMs.set(model, before + (durationMs - before) * WEIGHT)
  }

  /** Returns the milliseconds until the next poll of a job of this age. */
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
