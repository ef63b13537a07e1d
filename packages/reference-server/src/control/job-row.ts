import { chargeOf, type Job, statusAt } from '../domain/job.ts'
import { redactText } from '../history/redact.ts'
import type { ControlResponses } from './responses.ts'

/** A job on one line, as lists and events show it. */
export function jobRow(job: Job, now: number): ControlResponses['JobRow'] {
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
    webhook_url: webhook && redactText(webhook.url),
  }
}

const MAX_TEXT = 100

/** The start of the first parameter that is a text: by it people know a run. */
function textOf(input: Readonly<Record<string, unknown>>): string | undefined {
  const text = Object.values(input).find((value) => typeof value === 'string')
  return text === undefined ? undefined : String(text).slice(0, MAX_TEXT)
}
