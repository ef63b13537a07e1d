const LONGEST_DELAY_MS = 5_000

/** Repeats a change of the store until it is made: what it holds is known nowhere else. */
export async function untilStored(change: () => Promise<void>, onError: (error: unknown) => void): Promise<void> {
  for (let delayMs = 100; ; delayMs = Math.min(LONGEST_DELAY_MS, delayMs * 2)) {
    try {
      return await change()
    } catch (error) {
      onError(error)
      await new Promise((resolve) => setTimeout(resolve, delayMs))
    }
  }
}
