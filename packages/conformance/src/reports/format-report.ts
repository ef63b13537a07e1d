import type { ConformanceReport } from '../report.ts'
import { junitFailure, junitReport } from './junit-report.ts'
import { textReport } from './text-report.ts'

/** How a report can be written. */
export const REPORT_FORMATS = ['text', 'json', 'junit'] as const

/** `text` for a terminal, `json` with everything, `junit` for CI systems. */
export type ReportFormat = (typeof REPORT_FORMATS)[number]

const asJson = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`

/** How a report is written, and why there is none. */
const WRITERS: Record<ReportFormat, [(report: ConformanceReport) => string, failure: (reason: string) => string]> = {
  text: [textReport, (reason) => `Nothing was checked. ${reason}\n`],
  json: [asJson, (message) => asJson({ error: { message } })],
  junit: [junitReport, junitFailure],
}

/** Writes a report as text. */
export function formatReport(report: ConformanceReport, format: ReportFormat): string {
  return WRITERS[format][0](report)
}

/**
 * Writes why the suite could not start, in the form of a report: a program that waits for the file finds the reason, not
 * the report of an earlier run.
 */
export function formatFailure(reason: string, format: ReportFormat): string {
  return WRITERS[format][1](reason)
}
