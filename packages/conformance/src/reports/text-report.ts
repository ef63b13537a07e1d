import { groupBy } from '../json.ts'
import type { CheckResult, ConformanceReport } from '../report.ts'
import { notAppliedLine, proofOf, summaryLine } from './report-lines.ts'

/** What failed with its proof, what was observed, what was skipped, and a summary. */
export function textReport(report: ConformanceReport): string {
  const of = (wanted: CheckResult['verdict']) => report.results.filter(({ verdict }) => verdict === wanted)
  const failures = of('fail').map((result) => failure(report, result))
  const sections = [
    section('Failed', failures),
    section('Observed where the specification is silent', of('observed').map(line)),
    section('Observed and not in the profile', report.notApplied.map(notAppliedLine)),
    section('Skipped', skippedByReason(of('skipped'))),
    section('Advice', report.advice),
    `${summaryLine(report)}\n`,
  ]
  return sections.filter((text) => text !== '').join('\n')
}

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : `${title}\n${entries.map((entry) => `${indent(entry)}\n`).join('')}`
}

function line({ check, detail, requirements }: CheckResult): string {
  return `${requirements.map(({ id }) => id).join(', ')} ${check}: ${detail}`
}

function failure(report: ConformanceReport, result: CheckResult): string {
  const statements = result.requirements.map(({ section: where, statement }) => `${statement} (section ${where})`)
  return [line(result), indent([...statements, ...proofOf(report, result)].join('\n'))].join('\n')
}

function skippedByReason(results: readonly CheckResult[]): string[] {
  const groups = groupBy(results, ({ detail }) => detail)
  return [...groups].map(([reason, checks]) => `${reason}: ${checks.map(({ check }) => check).join(', ')}`)
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
