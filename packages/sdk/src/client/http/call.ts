import type { Attempt, ModelRunError, Submission } from '@modelrun/kit'
import type { AttemptEvent } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import { ForcedRetry, type KyRequest } from './ky.ts'
import {
  type ApiResult,
  type CallContext,
  type Failure,
  type Interruption,
  type Operation,
  type Outcome,
  type ReceivedResponse,
  UnreadableResponse,
} from './operation.ts'
import { receive } from './read-response.ts'
import { interrupted, type SendRequest, sendAttempt } from './send-attempt.ts'
import { isWorthRetrying, retryAfterOf, submissionAfter } from './status-policy.ts'
import { type FailedCall, toError } from './to-error.ts'

/** What was asked of a call. */
interface Asked<T> {
  readonly operation: Operation<T>
  readonly context: CallContext
  readonly client: ResolvedOptions
  readonly send: SendRequest
  readonly observeAttempt: (event: AttemptEvent) => void
  readonly request: KyRequest
  readonly timeoutMs: number
  readonly maxRetries: number
}

/** What has happened to a call. */
interface Happened<T> {
  /** The attempts that failed. */
  attempts: Attempt[]
  /** True when the next attempt may be sent: the first one, and each retry that the policy allows. ky also sends without asking. */
  maySend: boolean
  /** True while an attempt is under way, or the wait before a retry. Otherwise a hook of the caller has the call. */
  isBusy: boolean
  /** The attempt that is under way, or was last. Never rejects. */
  sending: Promise<unknown> | undefined
  /** True when an earlier attempt may have counted. */
  hasArrived: boolean
  /** Whether the last attempt reached the service. */
  submission: Submission
  /** The last whole response. */
  received: ReceivedResponse | undefined
  /** The last attempt and its failure, until it is logged. */
  failed: { attempt: Attempt; failure: Failure } | undefined
  result: ApiResult<T> | undefined
  /** The error of the call if no other attempt follows. */
  error: ModelRunError | undefined
}

/** One call on its way through ky. */
export interface Call<T> extends Asked<T> {
  readonly happened: Happened<T>
}

export function createCall<T>(asked: Asked<T>): Call<T> {
  const happened: Happened<T> = {
    attempts: [],
    maySend: true,
    isBusy: false,
    sending: undefined,
    hasArrived: false,
    submission: 'not_sent',
    received: undefined,
    failed: undefined,
    result: undefined,
    error: undefined,
  }
  return { ...asked, happened }
}

/** The details of a call for its error. */
export function callFields<T>(call: Call<T>): Omit<FailedCall, 'retryAfterMs' | 'isRetryable'> {
  const { operation, request, client, timeoutMs, context } = call
  const { attempts, received } = call.happened
  const label = `${operation.route.method} ${request.path}`
  const { baseUrl, apiKey } = client
  const isKeyless = apiKey === undefined
  return { operation, label, baseUrl, isKeyless, timeoutMs, deadlineMs: context.scope.deadlineMs, attempts, received }
}

/** The error for a failure of a call. */
function errorOf<T>(call: Call<T>, failure: Failure): ModelRunError {
  const retryAfterMs = retryAfterOf(failure, call.client.clock.now())
  const isRetryable = isWorthRetrying(call.operation.route.method, failure)
  return toError(failure, { ...callFields(call), retryAfterMs, isRetryable })
}

/** The error of a call that was ended between two attempts or in a hook. Its `submission` is that of the last attempt. */
export function interruptedError<T>(call: Call<T>, reason: string): ModelRunError {
  return errorOf(call, { ...interrupted(call.context.scope.signal, call.happened.submission), reason })
}

/** The error of a call that a hook of the caller has held for longer than an attempt may take. */
export function heldError<T>(call: Call<T>): ModelRunError {
  const reason = 'a ky hook did not return in time'
  return errorOf(call, { kind: 'timeout', reason, submission: call.happened.submission, cause: undefined })
}

/** Logs one attempt. */
function observe<T>(call: Call<T>, event: Omit<AttemptEvent, 'method' | 'path'>): void {
  const observed = { method: call.operation.route.method, path: call.request.path, ...event }
  call.observeAttempt(observed)
  call.context.onAttempt?.(observed)
}

/** Logs the last attempt when it failed, once. */
export function observeFailure<T>(call: Call<T>): void {
  if (call.happened.failed === undefined) return
  const { attempt, failure } = call.happened.failed
  const { status, reason, durationMs, delayMs } = attempt
  const requestId = failure.kind === 'response' ? failure.received.requestId : undefined
  observe(call, { attempt: call.happened.attempts.length, status, reason, durationMs, requestId, delayMs })
  call.happened.failed = undefined
}

/** One attempt: ky calls this as its `fetch`. Its errors are those of the call, if no other attempt follows. */
export function runAttempt<T>(call: Call<T>, request: Request, kyOptions: object = {}): Promise<Response> {
  const attempt = sendOnce(call, request, kyOptions)
  call.happened.sending = attempt.catch(() => {})
  return attempt
}

async function sendOnce<T>(call: Call<T>, request: Request, kyOptions: object): Promise<Response> {
  const { operation, context, client, send, timeoutMs } = call
  const { method } = operation.route
  const { body } = call.request
  // Hooks may have changed them.
  const headers = client.ky === undefined ? call.request.headers : Object.fromEntries(request.headers)
  // Includes options of the caller's instance that only `fetch` knows, such as Next's `next`.
  const fetchOptions = { ...kyOptions, ...call.request.fetchOptions }
  const { signal } = context.scope
  if (!call.happened.maySend) throw new ForcedRetry('A hook asked to send the request again.')
  call.happened.maySend = false
  call.happened.isBusy = true
  const startedAt = client.clock.now()
  const outcome = await sendAttempt(request, {
    client,
    send,
    signal,
    timeoutMs,
    method,
    headers,
    body,
    fetchOptions,
  })
  call.happened.isBusy = false
  return recordOutcome(call, outcome, startedAt)
}

/** Uses the response of a caller's hook as the response of the service. */
export async function takeHookResponse<T>(call: Call<T>, response: Response): Promise<void> {
  const startedAt = call.client.clock.now()
  recordOutcome(
    call,
    { kind: 'response', received: await receive(response, call.context.scope.signal, (text) => text) },
    startedAt,
  )
}

/** Stores the outcome of an attempt. @returns The response for ky's hooks @throws The call's error, when there is no response */
function recordOutcome<T>(call: Call<T>, outcome: Outcome, startedAt: number): Response {
  const durationMs = call.client.clock.now() - startedAt
  if (outcome.kind === 'response') call.happened.received = outcome.received
  const verdict = classify(call.operation, outcome, call.happened.hasArrived)
  if (verdict.kind === 'failure') return fail(call, verdict.failure, { startedAt, durationMs })
  call.happened.result = verdict.result
  call.happened.error = undefined
  const { response, requestId } = verdict.result
  observe(call, { attempt: call.happened.attempts.length + 1, status: response.status, durationMs, requestId })
  const received = outcome.kind === 'response' ? outcome.received : outcome.partial
  // The error of a hook says which job it is about.
  call.happened.received = received
  return received ? responseForHooks(call, received) : response
}

function fail<T>(call: Call<T>, failure: Failure, times: Pick<Attempt, 'startedAt' | 'durationMs'>): Response {
  const attempt = { ...times, ...describeAttempt(failure) }
  call.happened.attempts.push(attempt)
  call.happened.failed = { attempt, failure }
  call.happened.submission = submissionAfter(failure)
  call.happened.hasArrived ||= call.happened.submission === 'unknown'
  call.happened.error = errorOf(call, failure)
  // Hooks get every response with an error status. An unreadable response is not from the service.
  if (failure.kind === 'response' && failure.problem === undefined) return responseForHooks(call, failure.received)
  throw call.happened.error
}

/** A copy when the caller has hooks, because the body of the original has been read. */
function responseForHooks<T>({ client }: Call<T>, { status, text, response }: ReceivedResponse): Response {
  const canHaveBody = status >= 200 && ![204, 205, 304].includes(status)
  if (client.ky === undefined || !canHaveBody) return response
  return new Response(text, { status, statusText: response.statusText, headers: response.headers })
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'response') return { reason: failure.reason }
  const { status } = failure.received
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}

/** The meaning of an outcome for the call. */
export type Verdict<T> = { kind: 'result'; result: ApiResult<T> } | { kind: 'failure'; failure: Failure }

/** Distinguishes a result from a failure. `hasArrivedBefore`: the service may have acted on an earlier attempt. */
export function classify<T>(operation: Operation<T>, outcome: Outcome, hasArrivedBefore: boolean): Verdict<T> {
  if (outcome.kind !== 'response') return recoverPartial(operation, outcome)
  const { received } = outcome
  const isSuccess = received.status >= 200 && received.status < 300
  if (isSuccess) return readSuccess(operation, received)
  const recovered = operation.readError?.(received, hasArrivedBefore)
  return recovered ? resultOf(recovered.data, received) : { kind: 'failure', failure: outcome }
}

/** A time limit cuts a response as a broken connection does. The received part may already name the job of a run. */
function recoverPartial<T>(operation: Operation<T>, interruption: Interruption): Verdict<T> {
  const { kind, partial } = interruption
  const isTimedOut = kind === 'timeout' || kind === 'deadline'
  const recovered = isTimedOut && partial ? operation.readError?.(partial, true) : undefined
  return recovered && partial ? resultOf(recovered.data, partial) : { kind: 'failure', failure: interruption }
}

function readSuccess<T>(operation: Operation<T>, received: ReceivedResponse): Verdict<T> {
  try {
    return resultOf(operation.read(received), received)
  } catch (error) {
    if (!(error instanceof UnreadableResponse)) throw error
    return { kind: 'failure', failure: { kind: 'response', received, problem: error.problem } }
  }
}

function resultOf<T>(data: T, { response, requestId }: ReceivedResponse): Verdict<T> {
  return { kind: 'result', result: { data, response, requestId } }
}
