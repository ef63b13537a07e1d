import { errorBodySchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { createApiError } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { Attempt, ErrorFields, ModelRunError, Submission } from '../errors/model-run-error.ts'
import {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
} from '../errors/transport-errors.ts'
import { describeCors } from '../page.ts'
import type { Failure, Interruption, InterruptionKind, Operation, ReceivedResponse } from './operation.ts'
import { requestIdOf, tryParseJson } from './read-response.ts'
import { isRejection } from './status-policy.ts'

/** The details of a failed call. */
export interface FailedCall {
  operation: Operation<unknown>
  /** Method and path. */
  label: string
  /** URL of the service. */
  baseUrl: string
  /** True in a page, where a proxy adds the key. */
  isKeyless: boolean
  timeoutMs: number
  deadlineMs: number
  attempts: readonly Attempt[]
  retryAfterMs: number | undefined
  isRetryable: boolean
}

/** The error for a failure. */
export function toError(failure: Failure, call: FailedCall): ModelRunError {
  if (failure.kind !== 'response') return interruptionError(failure, call)
  const problem = failure.problem ?? redirectProblem(failure.received)
  return problem === undefined
    ? responseError(failure.received, call)
    : unreadableError(failure.received, problem, call)
}

/** The error class of each interruption. */
export const INTERRUPTION_ERRORS = {
  connection: ConnectionError,
  timeout: AttemptTimeoutError,
  aborted: AbortedError,
  deadline: DeadlineExceededError,
  no_key: ConfigurationError,
} as const satisfies Record<InterruptionKind, new (fields: ErrorFields) => ModelRunError>

function interruptionError(interruption: Interruption, call: FailedCall): ModelRunError {
  const { kind, cause, partial } = interruption
  const { operation, attempts } = call
  const jobId = operation.jobId ?? (partial && operation.jobIdIn?.(partial))
  const isNamed = partial !== undefined && jobId !== undefined
  const submission = isNamed ? 'accepted' : operation.isRun ? interruption.submission : submissionOf(operation)
  const isUntouched = interruption.submission === 'not_sent' && attempts.length === 1
  const fields: ErrorFields = {
    message: `${describeInterruption(interruption, call)}${consequence(submission, operation, isUntouched)}`,
    cause,
    attempts,
    submission,
    jobId,
    isRetryable: call.isRetryable,
  }
  return new INTERRUPTION_ERRORS[kind](fields)
}

/** A call whose hook failed. */
export interface HookFailure extends Omit<FailedCall, 'retryAfterMs' | 'isRetryable'> {
  /** The error that the call would have had without the hook. */
  lastError: ModelRunError | undefined
  hasResult: boolean
  received: ReceivedResponse | undefined
}

/** The error for a hook of the caller that threw, with the details of the call. */
export function toHookError(cause: unknown, failure: HookFailure): HookError {
  const { operation, label, attempts, lastError, hasResult, received } = failure
  const jobId = operation.jobId ?? (received && operation.jobIdIn?.(received))
  const isAccepted = hasResult && jobId !== undefined
  const before = lastError?.submission ?? submissionOf(operation)
  const submission = isAccepted ? 'accepted' : before
  const reason = cause instanceof Error ? cause.message : String(cause)
  const lost = isAccepted ? ` The service has accepted it: \`jobs.wait('${jobId}')\` brings the result.` : ''
  return new HookError({
    message: `A hook of the ky instance failed in ${label}: ${reason}.${lost || consequence(submission, operation, attempts.length === 0)}`,
    cause,
    attempts,
    submission,
    jobId,
    requestId: lastError?.requestId ?? (received && requestIdOf(received.response)),
    status: lastError?.status ?? received?.status,
    retryAfterMs: lastError?.retryAfterMs,
    isRetryable: lastError?.isRetryable,
  })
}

function unreadableError(received: ReceivedResponse, problem: string, call: FailedCall): InvalidResponseError {
  const { operation, label } = call
  const submission = operation.isRun ? 'unknown' : submissionOf(operation)
  // A body that is not JSON comes from a gateway and may pass. JSON of a wrong shape and redirects do not pass.
  const mayPass = received.response.ok && tryParseJson(received.text) === undefined
  return new InvalidResponseError({
    message: `${label} got a response (HTTP ${received.status}) that cannot be read: ${problem}.${consequence(submission, operation, false)}`,
    attempts: call.attempts,
    submission,
    jobId: operation.jobId,
    requestId: requestIdOf(received.response),
    status: received.status,
    isRetryable: call.isRetryable || (mayPass && !operation.isRun),
  })
}

function responseError(received: ReceivedResponse, call: FailedCall): ModelRunError {
  const { operation, label, retryAfterMs } = call
  const json = tryParseJson(received.text)
  const parsed = z.safeParse(errorBodySchema, json)
  const detail = parsed.success ? parsed.data.error : undefined
  const requestId = requestIdOf(received.response)
  const jobId = operation.jobId ?? operation.jobIdIn?.(received)
  const isNamed = operation.isRun && jobId !== undefined
  const byStatus = operation.isRun ? submissionAfter(received.status, retryAfterMs) : submissionOf(operation)
  const submission = isNamed ? 'accepted' : byStatus
  const said = detail ? `[${detail.code}] ${detail.message}` : 'The service responded without an error body of its own'
  // A rejection about a job, such as 404, needs no further explanation.
  const speaksForItself = operation.jobId !== undefined && isRejection(received.status)
  return createApiError({
    message: `${said} (HTTP ${received.status}, ${label}${requestId ? `, request ${requestId}` : ''}).${hint(received.status, call)}${speaksForItself ? '' : consequence(submission, operation, false)}`,
    status: received.status,
    apiCode: detail?.code,
    body: json ?? received.text,
    attempts: call.attempts,
    submission,
    jobId,
    requestId,
    retryAfterMs,
    isRetryable: call.isRetryable,
  })
}

/** Describes a redirect. In browsers, a redirect that is not followed has the status 0. */
function redirectProblem({ status, response }: ReceivedResponse): string | undefined {
  if ((status < 300 || status >= 400) && response.type !== 'opaqueredirect') return undefined
  const target = response.headers.get('location')
  const origin = target && URL.canParse(target) ? new URL(target).origin : undefined
  return `it is a redirect${origin ? ` to ${origin}` : ''}, which the client does not follow so that the API key stays with \`baseUrl\`; correct \`baseUrl\` if the service has moved`
}

function submissionAfter(status: number, retryAfterMs: number | undefined): Submission {
  if (status === 503 && retryAfterMs !== undefined) return 'rejected'
  return isRejection(status) ? 'rejected' : 'unknown'
}

/** For a call that is not a run: what is known of its job. */
function submissionOf({ jobId, isJobConfirmed }: Operation<unknown>): Submission {
  if (jobId === undefined) return 'not_sent'
  return isJobConfirmed ? 'accepted' : 'unknown'
}

function describeInterruption({ kind, reason, hint }: Interruption, call: FailedCall): string {
  const tries = call.attempts.length > 1 ? ` after ${call.attempts.length} attempts` : ''
  switch (kind) {
    case 'connection':
      return `${call.label} failed${tries}: ${reason} at ${call.baseUrl}. ${hint ?? 'Check that the service can be reached from here.'}${describeCors(call.baseUrl)}`
    case 'timeout':
      return `${call.label} got no complete response within ${call.timeoutMs} ms${tries}. Raise \`timeoutMs\` if the network is slow.`
    case 'aborted':
      return `${call.label} was aborted by the caller.`
    case 'deadline':
      return `${call.label} did not finish within deadlineMs (${call.deadlineMs} ms).`
    case 'no_key':
      return `${call.label} was not sent, because ${reason}.`
  }
}

function hint(status: number, { operation, retryAfterMs, isKeyless }: FailedCall): string {
  switch (status) {
    case 401:
      return isKeyless ? '' : ' Check the API key, and that it belongs to this service.'
    case 403:
      return isKeyless || !operation.route.permission
        ? ''
        : ` The call needs the permission ${operation.route.permission}.`
    case 407:
      return ' It comes from a proxy that asks for a user and a password: they go into its url.'
    case 429:
      return retryAfterMs === undefined ? '' : ` The service asks to wait ${retryAfterMs} ms.`
    default:
      return ''
  }
}

/** `isUntouched`: the service certainly did not act on the request. */
function consequence(submission: Submission, operation: Operation<unknown>, isUntouched: boolean): string {
  const { jobId, isRun, route, noun = 'run' } = operation
  if (jobId !== undefined && route.method === 'DELETE' && !isUntouched) {
    return ` Whether the job ${jobId} is cancelled is not known: read its status with \`jobs.get\`.`
  }
  if (jobId !== undefined) return ` The job ${jobId} is not affected.`
  if (!isRun) return ''
  switch (submission) {
    case 'not_sent':
      return ` The ${noun} was not sent: nothing is charged.`
    case 'rejected':
      return ` The ${noun} was rejected: nothing is charged.`
    case 'unknown':
      return ` The service may have accepted the ${noun} and may charge it, so it was not sent again. ${remedy(operation)}`
    case 'accepted':
      return ` The service had accepted the ${noun}: see \`error.jobId\`.`
  }
}

/** What to do when a run may have been accepted. The service has no list of jobs (section 4). */
function remedy({ body }: Operation<unknown>): string {
  const hasWebhook = typeof body === 'object' && body !== null && 'webhook_url' in body
  return hasWebhook
    ? 'If it did, the delivery to the webhook names the job: wait for it before you run the model again.'
    : 'Its job id did not arrive, and the service has no list of jobs: compare the credits of the account before you run the model again. A run with a `webhook` is found by its delivery.'
}
