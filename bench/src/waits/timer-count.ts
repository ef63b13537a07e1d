/** Counts the timers of this process that wait, from now on. */
export function countTimers(): { count(): number } {
  const waiting = new Set<unknown>()
  const { setTimeout, clearTimeout } = globalThis
  const start = (callback: (...values: unknown[]) => void, delayMs?: number, ...values: unknown[]) => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      callback(...values)
    }, delayMs)
    waiting.add(timer)
    return timer
  }
  const stop = (timer?: NodeJS.Timeout) => {
    waiting.delete(timer)
    clearTimeout(timer)
  }
  Object.assign(globalThis, { setTimeout: start, clearTimeout: stop })
  return { count: () => waiting.size }
}
