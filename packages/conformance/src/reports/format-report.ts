export type ReportFormat = 'json'
export function formatReport(report: unknown, _f: ReportFormat): string {
  return JSON.stringify(report)
}
