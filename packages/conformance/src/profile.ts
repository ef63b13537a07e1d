import type { JsonValue } from './json.ts'

/**
 * How a service behaves where the specification is silent, in the names and values of the reference server's
 * assumptions. What was not observed, or does not fit a switch, is left out; so is `cancelledSyncRunStatus`, which nobody
 * can observe: the job of a run that is held is not known before its answer.
 */
export interface ServiceProfile {
  asyncRunStatus?: 200 | 202
  failedSyncRunStatus?: 200 | 502
  cancelAnswer?: 'body' | 'empty'
  cancelOfFinishedJob?: 'conflict' | 'unchanged'
  cancelledJobWebhook?: 'none' | 'sent'
  jobFields?: 'minimal' | 'full'
  invalidInputStatus?: 400 | 422
  unknownCategory?: 'empty' | 'reject'
  limitAboveMaximum?: 'reject' | 'clamp'
  runNeedsJobsWrite?: boolean
  requestIdHeader?: 'sent' | 'none'
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
