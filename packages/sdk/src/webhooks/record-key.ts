import type { WebhookEvent } from './webhook-event.ts'

const INTENT = 'ref:'

/** What a store takes as a key. */
export const MAX_KEY_LENGTH = 256

/** Newer statuses that begin alike are one. */
const MAX_STATUS_LENGTH = 50

/** Key of the record of a job's result: its id, with the characters escaped that make other kinds of keys. */
export function jobKey(jobId: string): string {
  return escapeKey(jobId)
}

/**
 * Key of the record of an event. A job has one result, whatever it is; an event of unknown status is something else,
 * which must not hide the result.
 */
export function eventKey(event: WebhookEvent): string {
  const key = jobKey(event.job_id)
  if (event.status !== 'unknown') return key
  const status = Array.from(event.reported_status ?? '').slice(0, MAX_STATUS_LENGTH)
  return `${key}?${escapeKey(status.join(''))}`
}

/** Key of the record of a run that was prepared, and whose job is not known yet. */
export function intentKey(ref: string): string {
  return `${INTENT}${ref}`
}

/** The reference, when it is the key of an intent. */
export function refOfKey(key: string): string | undefined {
  return key.startsWith(INTENT) ? key.slice(INTENT.length) : undefined
}

/** The job of a record that is no intent. */
export function jobIdOfKey(key: string): string {
  const [id = ''] = key.split('?')
  return id.replace(/%(25|3A|3F)/g, decodeURIComponent)
}

function escapeKey(text: string): string {
  return text.replace(/[%:?]/g, encodeURIComponent)
}
