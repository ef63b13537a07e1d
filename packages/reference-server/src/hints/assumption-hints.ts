import { LIMITS, MODEL_CATEGORIES } from '@modelrun/contract'
import { ASSUMPTION_NOTES } from '@modelrun/contract/assumptions'
import { isServerErrorCode, type ServerErrorCode } from '../http/error-responses.ts'
import type { HintContext } from './request-hints.ts'

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

/** The assumption behind a response with an error code, where its rejection does not name one. */
const BY_CODE: Readonly<Record<ServerErrorCode, string | ((trace: HintContext['trace']) => string[]) | undefined>> = {
  UNAUTHORIZED: undefined,
  FORBIDDEN: forbiddenNames,
  VALIDATION_ERROR: 'malformedRequest',
  INSUFFICIENT_CREDITS: undefined,
  NOT_FOUND: 'unknownResource',
  METHOD_NOT_ALLOWED: 'wrongMethod',
  CONFLICT: 'cancelledSyncRunStatus',
  PAYLOAD_TOO_LARGE: 'largestBody',
  UNSUPPORTED_MEDIA_TYPE: undefined,
  RATE_LIMITED: undefined,
  INTERNAL_ERROR: undefined,
  UNAVAILABLE: undefined,
  PROVIDER_FAILURE: undefined,
}

/** The assumptions behind a response that the specification does not define. */
export function assumptionHints(context: HintContext): string[] {
  if (context.trace.route === 'control') return []
  const names = [...(context.trace.assumptions ?? []), ...namesFor(context)]
  return names.map((name) => sentenceFor(name, context))
}

function namesFor(context: HintContext): string[] {
  const { code, status, trace } = context
  const { route, jobStatus } = trace
  const isFailedRun = route === 'runModel' && jobStatus === 'failed'
  if (code !== undefined && !isFailedRun) return rejectionNames(context, code)
  if (route === 'runModel') return runNames(context)
  if (route === 'cancelJob') return status < 300 ? ['cancelStatus'] : []
  return route === 'listModels' ? listNames(context) : []
}

function rejectionNames({ trace }: HintContext, code: string): string[] {
  const { isForeignJob, rejectedPart, rejection } = trace
  if (isForeignJob) return ['otherAccountsJob']
  if (rejectedPart === 'webhook') return []
  const note = ASSUMPTION_NOTES.find(({ rejections }) => rejection !== undefined && rejections?.includes(rejection))
  if (note !== undefined) return [note.name]
  const names = isServerErrorCode(code) ? BY_CODE[code] : undefined
  return typeof names === 'function' ? names(trace) : names === undefined ? [] : [names]
}

function forbiddenNames({ apiKey, route, assumptions }: HintContext['trace']): string[] {
  // The route has named the assumption.
  if (apiKey === undefined || assumptions !== undefined) return []
  return route === 'runModel' && apiKey.permissions.includes('models:run') ? ['runNeedsJobsWrite'] : []
}

function runNames({ trace: { job, jobStatus } }: HintContext): string[] {
  if (jobStatus === 'queued')
    return job?.webhook === undefined ? ['asyncRunStatus'] : ['asyncRunStatus', 'asyncRunWithWebhook']
  if (jobStatus === 'failed') return ['failedSyncRunStatus']
  return jobStatus === 'cancelled' ? ['cancelledSyncRunStatus'] : []
}

function listNames({ request }: HintContext): string[] {
  const query = new URL(request.url).searchParams
  const category = query.get('category')
  return [
    ...(category !== null && !KNOWN_CATEGORIES.includes(category) ? ['unknownCategory'] : []),
    ...(Number(query.get('limit')) > LIMITS.modelsPageMax ? ['limitAboveMaximum'] : []),
  ]
}

function sentenceFor(name: string, { service, trace }: HintContext): string {
  const { assumptions } = service.options
  const note = ASSUMPTION_NOTES.find((one) => one.name === name)
  const setting =
    trace.rejection !== undefined && note?.rejections?.includes(trace.rejection)
      ? assumptions.rejections[trace.rejection]
      : note?.switch && assumptions[note.switch]
  const choice = setting === undefined ? note?.choice : settingText(setting)
  return `Section ${note?.section} leaves this open; assumption ${name}: ${choice}.`
}

function settingText(setting: unknown): string {
  if (typeof setting !== 'object' || setting === null || !('code' in setting) || !('status' in setting)) {
    return JSON.stringify(setting)
  }
  return `${setting.status} ${setting.code}`
}
