import type { Clock } from '../../clock.ts'

/** Deliveries that anybody may have sent, which one process stores in a minute. */
const MAX_A_MINUTE = 600
const MINUTE_MS = 60_000

/** Bounds the deliveries that nobody vouches for. Returns whether one more may be stored. */
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
