import type { JsonValue } from './json.ts'

/**
 * How a service behaves where the specification is silent, in the names and values of the reference server's
 * assumptions. What was not observed, or does not fit a switch, is left out; so is `cancelledSyncRunStatus`, which nobody
 * can observe: the job of a run that is held is not known before its answer.
 */
export interface ServiceProfile {
  /** HTTP status of the response to a run with `sync: false` (section 4.3). */
  asyncRunStatus?: 200 | 202
  /** HTTP status of the response to a run whose job fails while the run is held (section 4.3). */
  failedSyncRunStatus?: 200 | 502
  /** Whether the response to a cancel has a body (section 4.5). */
  cancelAnswer?: 'body' | 'empty'
  /** What the cancel of a finished job does: it is rejected with 409, or changes nothing (section 3). */
  cancelOfFinishedJob?: 'conflict' | 'unchanged'
  /** Whether the webhook of a cancelled job is sent (section 6, rule 7). */
  cancelledJobWebhook?: 'none' | 'sent'
  /** Whether the job status has more members than `status`, `output` and `error` (section 2.4). */
  jobFields?: 'minimal' | 'full'
  /** HTTP status for an `input` that the schema of the model does not allow (section 7). */
  invalidInputStatus?: 400 | 422
  /** What the list of models does with a `category` outside section 2.2: an empty list, or a 400. */
  unknownCategory?: 'empty' | 'reject'
  /** What the list of models does with a `limit` above 100 (section 8): a 400, or 100 instead. */
  limitAboveMaximum?: 'reject' | 'clamp'
  /** Whether a run needs the permission `jobs:write` besides `models:run` (section 5). */
  runNeedsJobsWrite?: boolean
  /** Whether responses have the header `x-request-id`. */
  requestIdHeader?: 'sent' | 'none'
  /** How long a run with `sync: false` was `queued`, in milliseconds (section 3). */
  queuedMs?: number
}

/** The values that each switch takes. */
const FITS: { [Name in keyof Required<ServiceProfile>]: (value: JsonValue) => boolean } = {
  asyncRunStatus: oneOf(200, 202),
  failedSyncRunStatus: oneOf(200, 502),
  cancelAnswer: oneOf('body', 'empty'),
  cancelOfFinishedJob: oneOf('conflict', 'unchanged'),
  cancelledJobWebhook: oneOf('none', 'sent'),
  jobFields: oneOf('minimal', 'full'),
  invalidInputStatus: oneOf(400, 422),
  unknownCategory: oneOf('empty', 'reject'),
  limitAboveMaximum: oneOf('reject', 'clamp'),
  runNeedsJobsWrite: (value) => typeof value === 'boolean',
  requestIdHeader: oneOf('sent', 'none'),
  queuedMs: (value) => typeof value === 'number',
}

/** The observations that are settings of the reference server. */
export function profileOf(observations: Readonly<Record<string, JsonValue>>): ServiceProfile {
  return Object.fromEntries(
    Object.entries(FITS).flatMap(([name, fits]) => {
      const value = observations[name]
      return value !== undefined && fits(value) ? [[name, value]] : []
    }),
  )
}

function oneOf(...allowed: readonly JsonValue[]): (value: JsonValue) => boolean {
  return (value) => allowed.includes(value)
}
