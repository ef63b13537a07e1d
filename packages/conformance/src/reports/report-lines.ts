import type { Exchange } from '../exchange.ts'
import { show } from '../json.ts'
import type { NotApplied } from '../profile.ts'
import type { CheckResult, ConformanceReport } from '../report.ts'

/** The outcome in one line. */
export function summaryLine({ summary, credits, durationMs, baseUrl }: ConformanceReport): string {
  const { pass, fail, observed, skipped } = summary
  const counts = `${pass} passed, ${fail} failed, ${observed} observed, ${skipped} skipped`
  const cost = credits.spent === 0 ? 'no credits were spent' : `runs for ${credits.spent} credits at most`
  return `${baseUrl}: ${counts}; ${cost}; ${Math.round(durationMs / 1000)} s`
}

/** What was observed and that the reference server does not do, in one line. */
export function notAppliedLine({ name, observed, reason }: NotApplied): string {
  return `${name}: ${show(observed)}; of the reference server: ${reason}`
}

/** The exchanges that prove a result, each on a few lines. */
export function proofOf({ exchanges }: ConformanceReport, result: CheckResult): string[] {
  return exchanges.filter(({ id }) => result.exchanges.includes(id)).map(describeExchange)
}

function describeExchange({ id, direction, request, response, failure, durationMs }: Exchange): string {
  const arrow = direction === 'sent' ? '>' : '<'
  const outcome = response === undefined ? (failure ?? 'no response') : `${response.status}`
  return [
    `#${id} ${arrow} ${request.method} ${request.url}`,
    ...bodyLine(request.body),
    `   ${outcome} after ${Math.round(durationMs)} ms`,
    ...bodyLine(response?.body),
  ].join('\n')
}

const MAX_BODY = 600

function bodyLine(body = ''): string[] {
  const shown = body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}...` : body
  return shown === '' ? [] : [`   ${shown}`]
}
