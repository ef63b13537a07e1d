import { setTimeout as sleep } from 'node:timers/promises'

/** Repeats work until it does not throw, with a wait of `delayMs` after each failure. */
export async function retryUntilDone<T>(work: () => T | Promise<T>, delayMs: number): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch {
      await sleep(delayMs)
    }
  }
}
