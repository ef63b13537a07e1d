import { cleanText } from '@modelrun/kit'
import type { Exchange } from './exchange.ts'
import { groupBy } from './json.ts'
import type { CheckResult, ConformanceReport } from './report.ts'

/** Writes for people what failed with its proof, what was observed, what was skipped, and a summary. */
export function formatReport(report: ConformanceReport): string {
  const of = (wanted: CheckResult['verdict']) => report.results.filter(({ verdict }) => verdict === wanted)
  // What one exchange proves has one cause.
  const causes = groupBy(of('fail'), ({ exchanges, check }) => exchanges[0] ?? check)
  const reasons = groupBy(of('skipped'), ({ detail }) => detail)
  const failed = [...causes.values()].flatMap((results) => causeLines(report, results))
  const skipped = [...reasons].map(([reason, checks]) => `${reason}: ${checks.map(({ check }) => check).join(', ')}`)
  const lines = [
    ...section('Failed', failed),
    ...section('Observed where the specification is silent', of('observed').map(line)),
    ...section('Skipped', skipped),
    summaryLine(report),
  ]
  // Texts of the service must not control a terminal.
  return `${lines.map(cleanText).join('\n')}\n`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((one) => `  ${one}`), '']
}

function line({ check, detail }: CheckResult): string {
  return `${check}: ${detail}`
}

/** The checks that fail for one cause, with what they judge, and the exchanges that prove the first of them. */
function causeLines({ exchanges }: ConformanceReport, results: readonly CheckResult[]): string[] {
  return [
    ...results.flatMap((result) => [
      line(result),
      ...(result.requirements.length > 1 ? ['  One of these does not hold, or more:'] : []),
      ...result.requirements.map(({ id, statement }) => `  ${id} ${statement}`),
    ]),
    ...exchanges.filter(({ id }) => results[0]?.exchanges.includes(id)).flatMap(exchangeLines),
  ]
}

function summaryLine({ summary, credits, durationMs, baseUrl }: ConformanceReport): string {
  const { pass, fail, observed, skipped } = summary
  const counts = `${pass} passed, ${fail} failed, ${observed} observed, ${skipped} skipped`
  const cost = credits.spent === 0 ? 'no credits were spent' : `runs for ${credits.spent} credits at most`
  return `${baseUrl}: ${counts}; ${cost}; ${Math.round(durationMs / 1000)} s`
}

const MAX_BODY = 600

function exchangeLines({ id, direction, request, response, failure, durationMs }: Exchange): string[] {
  const outcome = response?.status ?? failure ?? 'no response'
  const below = [request.body, `${outcome} after ${Math.round(durationMs)} ms`, response?.body]
  return [
    `  #${id} ${direction === 'sent' ? '>' : '<'} ${request.method} ${request.url}`,
    ...below.flatMap((text = '') => (text === '' ? [] : [`     ${text.slice(0, MAX_BODY)}`])),
  ]
}
