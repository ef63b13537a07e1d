import { type Clock, sleep } from '../clock.ts'

/** How a change of the store is repeated while the store fails. */
export interface Repeat {
  clock: Clock
  /** Wait after the first failure, in milliseconds. It doubles with each failure. */
  firstMs: number
  /** Longest wait, in milliseconds. */
  maxMs: number
  /** Called with each error. */
  onError(error: unknown): void
  /** Whether to try (again). Default: always. */
  isWanted?(): boolean
}

/** The default waits. */
export const STORE_BACKOFF = { firstMs: 50, maxMs: 2_000 } as const

/** Repeats a change of the store until it succeeds, or until it is not wanted any more. */
export async function repeatUntilStored(
  change: () => Promise<unknown>,
  { clock, firstMs, maxMs, onError, isWanted = () => true }: Repeat,
): Promise<void> {
  for (let delayMs = firstMs; isWanted(); delayMs = Math.min(maxMs, delayMs * 2)) {
    try {
      await change()
      return
    } catch (error) {
      onError(error)
      await sleep(clock, delayMs)
    }
  }
}
