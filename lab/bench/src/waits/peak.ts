/** The highest number of events within any second. `times`: when they happened, in milliseconds, in order. */
export function peakPerSecond(times: readonly number[]): number {
  let peak = 0
  let first = 0
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? time) <= time - 1_000) first++
    peak = Math.max(peak, index - first + 1)
  }
  return peak
}
