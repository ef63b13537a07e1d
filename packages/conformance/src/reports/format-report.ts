import type { ConformanceReport } from '../report.ts'
import { junitFailure, junitReport } from './junit-report.ts'
import { textReport } from './text-report.ts'

/** How a report can be written. */
export const REPORT_FORMATS = ['text', 'json', 'junit'] as const

/** `text` for a terminal, `json` with everything, `junit` for CI systems. */
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Writes a report as text. */
export function formatReport(report: ConformanceReport, format: ReportFormat): string {
  switch (format) {
    case 'text':
      return textReport(report)
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`
    case 'junit':
      return junitReport(report)
  }
}

/**
 * Writes why the suite could not start, in the form of a report: a program that waits for the file finds the reason, not
 * the report of an earlier run.
 */
export function formatFailure(reason: string, format: ReportFormat): string {
  switch (format) {
    case 'text':
      return `Nothing was checked. ${reason}\n`
    case 'json':
      return `${JSON.stringify({ error: { message: reason } }, undefined, 2)}\n`
    case 'junit':
      return junitFailure(reason)
  }
}
