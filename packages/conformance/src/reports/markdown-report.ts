import type { ConformanceReport } from '../report.ts'
import { notAppliedLine, summaryLine } from './report-lines.ts'

/** A table with a line for each statement, then the profile. */
export function markdownReport(report: ConformanceReport): string {
  const rows = report.results.flatMap(({ requirements, verdict, detail, check }) =>
    requirements.map(({ id, level, statement }) =>
      row([id, level, statement, `**${verdict}**`, detail, `\`${check}\``]),
    ),
  )
  return [
    '# Conformance',
    '',
    inCell(summaryLine(report)),
    '',
    row(['Statement', 'Level', 'What', 'Verdict', 'Found', 'Check']),
    row(['---', '---', '---', '---', '---', '---']),
    ...rows,
    '',
    '## Profile',
    '',
    '```json',
    JSON.stringify(report.profile, undefined, 2),
    '```',
    '',
    ...notAppliedSection(report),
  ].join('\n')
}

function notAppliedSection({ notApplied }: ConformanceReport): string[] {
  if (notApplied.length === 0) return []
  return ['Not in the profile:', '', ...notApplied.map((one) => `- ${inCell(notAppliedLine(one))}`), '']
}

/** The suite could not start. */
export function markdownFailure(reason: string): string {
  return ['# Conformance', '', `Nothing was checked. ${inCell(reason)}`, ''].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(inCell).join(' | ')} |`
}

function inCell(text: string): string {
  return text.replace(/[|\\<]/g, '\\$&').replace(/\s*\n\s*/g, ' ')
}
