import type { Clock } from '../../clock.ts'

/** Unverified deliveries that one process stores in a minute. */
const MAX_A_MINUTE = 600
const MINUTE_MS = 60_000

/** Limits the unverified deliveries of this process. The function returns whether one more may be stored. */
export function createUnverifiedLimit(clock: Clock): () => boolean {
  let since = clock.now()
  let count = 0
  return () => {
    if (clock.now() - since >= MINUTE_MS) {
      since = clock.now()
      count = 0
    }
    count += 1
    return count <= MAX_A_MINUTE
  }
}
