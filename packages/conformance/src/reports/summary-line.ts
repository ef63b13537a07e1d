import type { ConformanceReport } from '../report.ts'

/** The outcome in one line. */
export function summaryLine({ summary, credits, durationMs, baseUrl }: ConformanceReport): string {
  const { pass, fail, observed, skipped } = summary
  const counts = `${pass} passed, ${fail} failed, ${observed} observed, ${skipped} skipped`
  const cost = credits.sent === 0 ? 'nothing was run' : `runs for ${credits.sent} credits at most`
  return `${baseUrl}: ${counts}; ${cost}; ${Math.round(durationMs / 1000)} s`
}
