import type { ConformanceReport } from '../report.ts'
import { summaryLine } from './summary-line.ts'

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
  ].join('\n')
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
