import type { WebhookEvent } from '../webhook-event.ts'

/** Newer statuses that begin alike are one. */
const MAX_STATUS_LENGTH = 50

/** Id of the task of a job's result: the job id, with the characters escaped that make other ids. */
export function jobKey(jobId: string): string {
  return escapeKey(jobId)
}

/**
 * Id of the task of an event. A job has one result, whatever it is; an event of unknown status is something else, which
 * must not hide the result.
 */
export function eventKey(event: WebhookEvent): string {
  const key = jobKey(event.job_id)
  if (event.status !== 'unknown') return key
  const status = Array.from(event.reported_status ?? '').slice(0, MAX_STATUS_LENGTH)
  return `${key}?${escapeKey(status.join(''))}`
}

/** The job of a task. */
export function jobIdOfKey(key: string): string {
  const [id = ''] = key.split('?')
  return id.replace(/%(25|3A|3F)/g, decodeURIComponent)
}

function escapeKey(text: string): string {
  return text.replace(/[%:?]/g, encodeURIComponent)
}
