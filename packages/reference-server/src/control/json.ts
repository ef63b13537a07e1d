import type { JournalEntry } from '../history/journal/journal-entry.ts'
import type { Report } from '../history/report/report.ts'
import type { DeliveryRecord } from '../webhooks/delivery-record.ts'

// The control API writes its members in snake_case, as the service does. Times in milliseconds end in `_ms`.

/** A finished delivery. */
export function deliveryJson({ attemptedAt, finishedAt, ...rest }: DeliveryRecord): object {
  return { ...rest, attempted_at_ms: attemptedAt, finished_at_ms: finishedAt }
}

/** An entry of the journal. */
export function entryJson({ at, ...rest }: JournalEntry): object {
  return { at_ms: at, ...withSnakeCase(rest) }
}

/** What is left over. */
export function reportJson(report: Report): object {
  return withSnakeCase(report)
}

/** Only its own members: what they hold may be of the user, such as the input of a run. */
function withSnakeCase(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), member]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
