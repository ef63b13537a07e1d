import { cleanText } from '@modelrun/kit'
import type { Exchange } from '../exchange.ts'
import { groupBy } from '../json.ts'
import type { CheckResult, ConformanceReport } from '../report.ts'

/** How a report can be written. */
export const REPORT_FORMATS = ['text', 'json'] as const

/** `text` for a terminal, `json` with everything. */
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Writes a report as text. */
export function formatReport(report: ConformanceReport, format: ReportFormat): string {
  return format === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : textReport(report)
}

/** What failed with its proof, what was observed, what was skipped, and a summary. */
function textReport(report: ConformanceReport): string {
  const of = (wanted: CheckResult['verdict']) => report.results.filter(({ verdict }) => verdict === wanted)
  // What one exchange proves has one cause.
  const causes = groupBy(of('fail'), ({ exchanges, check }) => exchanges[0] ?? check)
  const sections = [
    section(
      'Failed',
      [...causes.values()].map((results) => cause(report, results)),
    ),
    section('Observed where the specification is silent', of('observed').map(line)),
    section('Skipped', skippedByReason(of('skipped'))),
    `${summaryLine(report)}\n`,
  ]
  // Texts of the service must not control a terminal.
  const lines = sections
    .filter((text) => text !== '')
    .join('\n')
    .split('\n')
  return lines.map(cleanText).join('\n')
}

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : `${title}\n${entries.map((entry) => `${indent(entry)}\n`).join('')}`
}

function line({ check, detail }: CheckResult): string {
  return `${check}: ${detail}`
}

/** The checks that fail for one cause, with what they state, and the exchanges that prove the first of them. */
function cause({ exchanges }: ConformanceReport, results: readonly CheckResult[]): string {
  const lines = results.flatMap((result) => [
    line(result),
    ...result.requirements.map(({ id, statement }) => `  ${id} ${statement}`),
  ])
  const proof = exchanges.filter(({ id }) => results[0]?.exchanges.includes(id)).map(describeExchange)
  return [...lines, indent(proof.join('\n'))].join('\n')
}

function skippedByReason(results: readonly CheckResult[]): string[] {
  const groups = groupBy(results, ({ detail }) => detail)
  return [...groups].map(([reason, checks]) => `${reason}: ${checks.map(({ check }) => check).join(', ')}`)
}

/** The outcome in one line. */
function summaryLine({ summary, credits, durationMs, baseUrl }: ConformanceReport): string {
  const { pass, fail, observed, skipped } = summary
  const counts = `${pass} passed, ${fail} failed, ${observed} observed, ${skipped} skipped`
  const cost = credits.spent === 0 ? 'no credits were spent' : `runs for ${credits.spent} credits at most`
  return `${baseUrl}: ${counts}; ${cost}; ${Math.round(durationMs / 1000)} s`
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

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
