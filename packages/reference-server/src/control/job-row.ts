import { chargeOf, type Job, statusAt } from '../domain/job.ts'
import type { JournalEntry } from '../history/journal/journal-entry.ts'
import { redactUrl } from '../history/journal/redact.ts'

/** A job on one line, as lists and events show it. */
export function jobRow(job: Job, now: number): object {
  const { id, model, account, createdAt, processingAt, webhook, end } = job
  return {
    job_id: id,
    model_id: model.id,
    key: account.name,
    status: statusAt(job, now),
    credits: model.pricing.credits_per_run,
    charged: end === undefined ? 0 : chargeOf(job, end),
    created_at_ms: createdAt,
    processing_at_ms: processingAt,
    ended_at_ms: end?.at,
    ends_at_ms: job.endsAt,
    code: end?.error?.code,
    message: end?.error?.message,
    text: textOf(job.input),
    webhook_url: webhook && redactUrl(webhook.url),
  }
}

const MAX_TEXT = 100

/** The start of the first parameter that is a text: by it people know a run. */
function textOf(input: Readonly<Record<string, unknown>>): string | undefined {
  const text = Object.values(input).find((value) => typeof value === 'string')
  return text === undefined ? undefined : String(text).slice(0, MAX_TEXT)
}

// The control API writes its members in snake_case, as the service does. Times in milliseconds end in `_ms`.

/** An entry of the journal. */
export function entryJson({ at, ...rest }: JournalEntry): object {
  return { at_ms: at, ...withSnakeCase(rest) }
}

/** Only its own members: what they hold may be of the user, such as the input of a run. */
export function withSnakeCase(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), member]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
