/** Waits between two runs of a handler. */
const BACKOFF = { baseMs: 1_000, maxMs: 300_000 } as const

/** Milliseconds until the next run of a handler that failed: 1 s, 2 s, 4 s, … up to 5 minutes, with full jitter. */
export function rerunDelayMs(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF.maxMs, BACKOFF.baseMs * 2 ** (attempt - 1))
}
