import type { ErrorFields, ModelRunError, Submission } from '@modelrun/kit'
import { ConfigurationError, memberOf, stringIn, toUrl } from '@modelrun/kit'
import { createApiError } from '../errors/api-errors.ts'
import {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  InvalidResponseError,
} from '../errors/transport-errors.ts'
import { describeCors } from '../page.ts'
import type { Failure, Interruption, InterruptionKind, Operation, ReceivedResponse } from './operation.ts'
import { errorDetailIn, jsonIn } from './read-response.ts'
import { isRejection, runIn } from './run-in-response.ts'
import { isFromService, submissionAfter } from './status-policy.ts'

export interface FailedCall {
  operation: Operation<unknown>
  /** Method and path. */
  label: string
  baseUrl: string
  /** True in a page, where a proxy adds the key. */
  isKeyless: boolean
  timeoutMs: number
  deadlineMs: number
  failures: number
  received?: ReceivedResponse | undefined
  retryAfterMs: number | undefined
  isRetryable: boolean
}

export function toError(failure: Failure, call: FailedCall): ModelRunError {
  if (failure.kind !== 'response') return interruptionError(failure, call)
  const problem = failure.problem ?? redirectProblem(failure.received)
  return problem === undefined ? responseError(failure, call) : unreadableError(failure, problem, call)
}

interface Known {
  submission: Submission
  jobId: string | undefined
  /** The received text that may name the job in a way that the client does not know. */
  body: string | undefined
}

/** Longest text of a response on an error, in characters. */
const MAX_BODY_LENGTH = 2_000

/** What a call knows of its job, from what was received and from `submission`, which a run has otherwise. */
export function whatIsKnown(
  operation: Operation<unknown>,
  received: ReceivedResponse | undefined,
  submission: Submission,
): Known {
  const named = operation.isRun && received ? runIn(received) : undefined
  const unlessAccepted = operation.isRun ? submission : submissionOf(operation)
  const found = named?.isOwn ? 'accepted' : unlessAccepted
  const mayName = found === 'unknown' || found === 'accepted'
  return {
    submission: found,
    jobId: operation.jobId ?? named?.jobId,
    body: (mayName && received?.text.slice(0, MAX_BODY_LENGTH)) || undefined,
  }
}

export const INTERRUPTION_ERRORS = {
  connection: ConnectionError,
  timeout: AttemptTimeoutError,
  aborted: AbortedError,
  deadline: DeadlineExceededError,
  no_key: ConfigurationError,
} as const satisfies Record<InterruptionKind, new (fields: ErrorFields) => ModelRunError>

function interruptionError(interruption: Interruption, call: FailedCall): ModelRunError {
  const { kind, cause, partial } = interruption
  const { operation, failures } = call
  const known = whatIsKnown(operation, partial, interruption.submission)
  const isUntouched = interruption.submission === 'not_sent' && failures === 1
  const fields: ErrorFields = {
    ...known,
    message: `${describeInterruption(interruption, call)}${consequence(known, call, isUntouched)}`,
    cause,
    isRetryable: call.isRetryable,
  }
  return new INTERRUPTION_ERRORS[kind](fields)
}

type ResponseFailure = Extract<Failure, { kind: 'response' }>

function unreadableError(failure: ResponseFailure, problem: string, call: FailedCall): InvalidResponseError {
  const { operation, label } = call
  const { received } = failure
  const known = whatIsKnown(operation, received, submissionAfter(failure))
  const json = jsonIn(received)
  // A body that is not JSON, or not about a job, comes from a gateway and may pass.
  const isOther = !stringIn(memberOf(json, 'data'), 'status')
  const isOfGateway = json === undefined || (operation.isJobConfirmed && isOther)
  const mayPass = received.response.ok && received.problem === undefined && isOfGateway
  return new InvalidResponseError({
    ...known,
    message: `${label} got a response (HTTP ${received.status}) that cannot be read: ${problem}.${consequence(known, { operation, received }, false)}`,
    status: received.status,
    isRetryable: call.isRetryable || (mayPass === true && !operation.isRun),
  })
}

function responseError(failure: ResponseFailure, call: FailedCall): ModelRunError {
  const { operation, label, retryAfterMs } = call
  const { status, text, requestId, problem } = failure.received
  const detail = errorDetailIn(failure.received)
  const known = whatIsKnown(operation, failure.received, submissionAfter(failure))
  const unsaid = problem
    ? `The error body cannot be read: ${problem}`
    : 'The service responded without an error body of its own'
  const said = detail ? `[${detail.code}] ${detail.message}` : unsaid
  // A rejection about a job, such as 404, needs no further explanation.
  const speaksForItself = operation.jobId !== undefined && isRejection(status)
  const request = requestId ? `, request ${requestId}` : ''
  const then = speaksForItself ? '' : consequence(known, { operation, received: failure.received }, false)
  return createApiError({
    ...known,
    message: `${said} (HTTP ${status}, ${label}${request}).${hint(status, detail?.code, call)}${then}`,
    status,
    apiCode: detail?.code,
    body: jsonIn(failure.received) ?? text,
    retryAfterMs,
    isRetryable: call.isRetryable,
  })
}

/** Describes a redirect. In browsers, a redirect that is not followed has the status 0. */
function redirectProblem({ status, response }: ReceivedResponse): string | undefined {
  if ((status < 300 || status >= 400) && response.type !== 'opaqueredirect') return undefined
  const target = response.headers.get('location')
  const { origin, protocol } = toUrl(target) ?? {}
  // Urls such as `file:` and `data:` have no origin.
  const place = origin === 'null' ? `a ${protocol} URL` : origin
  return `it is a redirect${place ? ` to ${place}` : ''}, which the client does not follow so that the API key stays with \`baseUrl\`; correct \`baseUrl\` if the service has moved`
}

/** For a call that is not a run: what is known of its job. */
function submissionOf({ jobId, isJobConfirmed }: Operation<unknown>): Submission {
  if (jobId === undefined) return 'not_sent'
  return isJobConfirmed ? 'accepted' : 'unknown'
}

function describeInterruption({ kind, reason, hint }: Interruption, call: FailedCall): string {
  const tries = call.failures > 1 ? ` after ${call.failures} attempts` : ''
  switch (kind) {
    case 'connection':
      return `${call.label} failed${tries}: ${reason} at ${call.baseUrl}. ${hint ?? 'Check that the service can be reached from here.'}${describeCors(call.baseUrl)}`
    case 'timeout':
      return `${call.label} got no complete response within ${call.timeoutMs} ms${tries}. ${hint ?? 'Raise `timeoutMs` if the network is slow.'}`
    case 'aborted':
      return `${call.label} was aborted by the caller.`
    case 'deadline':
      return `${call.label} did not finish within deadlineMs (${call.deadlineMs} ms).${hint ? ` ${hint}` : ''}`
    case 'no_key':
      return `${call.label} was not sent, because ${reason}.`
  }
}

function hint(status: number, apiCode: string | undefined, { operation, retryAfterMs, isKeyless }: FailedCall): string {
  switch (status) {
    case 401:
      return isKeyless ? '' : ' Check the API key, and that it belongs to this service.'
    case 403:
      // Another code, or none, is about something else than the permissions of the key (section 5).
      return isKeyless || !operation.route.permission || apiCode !== 'FORBIDDEN'
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
export function consequence(
  known: Known,
  call: Pick<FailedCall, 'operation' | 'received'>,
  isUntouched: boolean,
): string {
  const { jobId, isRun, route, followsCancel = false, noun = 'run' } = call.operation
  if (jobId !== undefined && (followsCancel || (route.method === 'DELETE' && !isUntouched))) {
    return ` Whether the job ${jobId} is cancelled is not known: read its status with \`jobs.get\`.`
  }
  if (jobId !== undefined) return ` The job ${jobId} is not affected.`
  if (!isRun) return ''
  switch (known.submission) {
    case 'not_sent':
      return ` The ${noun} was not sent: nothing is charged.`
    case 'rejected':
      return ` The ${noun} was rejected${rejectionDetail(call.received)}`
    case 'unknown':
      return ` The service may have accepted the ${noun} and may charge it, so it was not sent again. ${remedy(known, call.operation)}`
    case 'accepted':
      return ` The service had accepted the ${noun}: see \`error.jobId\`.`
  }
}

/** Only the service can say that it charges nothing: a gateway that inspects responses could reject one of a run. */
function rejectionDetail(received: ReceivedResponse | undefined): string {
  return isFromService(received && errorDetailIn(received)?.code)
    ? ': nothing is charged.'
    : ', as it seems by something in front of the service.'
}

/** What to do when a run may have been accepted. The service has no list of jobs (section 4). */
function remedy({ jobId, body: received }: Known, { body }: Operation<unknown>): string {
  if (jobId !== undefined) return `The response names the job ${jobId}: read it with \`jobs.get\`.`
  const hasWebhook = typeof body === 'object' && body !== null && 'webhook_url' in body
  if (hasWebhook) {
    return 'If it did, the delivery to the webhook names the job: wait for it before you run the model again.'
  }
  const what =
    received === undefined ? 'Its job id did not arrive' : 'No job id was found in what arrived (`error.body`)'
  return `${what}, and the service has no list of jobs: compare the credits of the account before you run the model again. A run with a \`webhook\` is found by its delivery.`
}
