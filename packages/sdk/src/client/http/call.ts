import { type Attempt, ConfigurationError, ModelRunError, type Submission } from '@modelrun/kit'
import { type Clock, recordAttempt, sleep, wallNow } from '../../shared/clock.ts'
import type { AttemptEvent } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import {
  type ApiResult,
  type CallContext,
  type Failure,
  type Interruption,
  type KyRequest,
  type Operation,
  type Outcome,
  type ReceivedResponse,
  UnreadableResponse,
} from './operation.ts'
import { interrupted, type SendRequest, sendAttempt } from './send-attempt.ts'
import { isWorthRetrying, retryAfterOf, retryDelayMs, submissionAfter } from './status-policy.ts'
import { type FailedCall, toError } from './to-error.ts'

/** One call on its way through ky. */
export interface Call<T> {
  readonly operation: Operation<T>
  readonly context: CallContext
  readonly client: ResolvedOptions
  readonly send: SendRequest
  readonly observeAttempt: (event: AttemptEvent) => void
  readonly request: KyRequest
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly happened: Happened<T>
}

interface Happened<T> {
  failures: number
  /** True when an earlier attempt may have counted. */
  hasArrived: boolean
  /** Whether the last attempt reached the service. */
  submission: Submission
  /** The last whole response. */
  received?: ReceivedResponse | undefined
  /** The last attempt and its failure, until it is logged. */
  failed?: { attempt: Attempt; failure: Failure } | undefined
  result?: ApiResult<T> | undefined
  /** The error of the call if no other attempt follows. */
  error?: ModelRunError | undefined
}

export function createCall<T>(asked: Omit<Call<T>, 'happened'>): Call<T> {
  return { ...asked, happened: { failures: 0, hasArrived: false, submission: 'not_sent' } }
}

export function callFields<T>(call: Call<T>): Omit<FailedCall, 'retryAfterMs' | 'isRetryable'> {
  const { operation, request, client, timeoutMs, context } = call
  const { failures, received } = call.happened
  const label = `${operation.route.method} ${request.path}`
  const { baseUrl } = client
  const isKeyless = client.apiKey === undefined
  return { operation, label, baseUrl, isKeyless, timeoutMs, deadlineMs: context.scope.deadlineMs, failures, received }
}

export function errorOf<T>(call: Call<T>, failure: Failure): ModelRunError {
  const retryAfterMs = retryAfterOf(failure, wallNow(call.client.clock))
  const isRetryable = isWorthRetrying(call.operation.route.method, failure)
  return toError(failure, { ...callFields(call), retryAfterMs, isRetryable })
}

/** The error of a call that was ended between two attempts or in a hook. Its `submission` is that of the last attempt. */
export function interruptedError<T>(call: Call<T>, reason: string): ModelRunError {
  return errorOf(call, { ...interrupted(call.context.scope.signal, call.happened.submission), reason })
}

function observe<T>(call: Call<T>, event: Omit<AttemptEvent, 'method' | 'path'>): void {
  call.observeAttempt({ method: call.operation.route.method, path: call.request.path, ...event })
}

/** Logs the last attempt when it failed, once. */
export function observeFailure<T>(call: Call<T>): void {
  if (call.happened.failed === undefined) return
  const { status, reason, durationMs, delayMs } = call.happened.failed.attempt
  const { requestId } = call.context.scope.sent
  observe(call, { attempt: call.happened.failures, status, reason, durationMs, requestId, delayMs })
  call.happened.failed = undefined
}

/** One attempt: ky calls this as its `fetch`. Its errors are those of the call, if no other attempt follows. */
export async function runAttempt<T>(
  call: Call<T>,
  request: Request,
  { headers, fetchOptions }: Pick<KyRequest, 'headers' | 'fetchOptions'> = call.request,
): Promise<Response> {
  const { operation, context, client, send, timeoutMs, happened } = call
  const { method } = operation.route
  const { body } = call.request
  const { signal } = context.scope
  let startedAt = client.clock.now()
  const beforeSend = async () => {
    await context.beforeSend?.(context)
    startedAt = client.clock.now()
    return JSON.stringify(operation.body)
  }
  const keepSent = operation.isRun && context.options.keepSent
  const { isJobConfirmed } = operation
  const parts = {
    method,
    headers,
    body,
    fetchOptions,
    keepSent,
    isJobConfirmed,
    beforeSend: context.beforeSend && beforeSend,
  }
  const outcome = await sendAttempt(request, { client, send, signal, timeoutMs, ...parts }).catch((error) => {
    happened.error = error instanceof ModelRunError ? Object.assign(error, { submission: happened.submission }) : error
    throw error
  })
  return recordOutcome(call, outcome, timesSince(client.clock, startedAt))
}

/** @throws ConfigurationError when an argument cannot become a request. */
export function prepared<T>({ jobId, isJobConfirmed }: Operation<unknown>, prepare: () => T): T {
  try {
    return prepare()
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError({
      message: `The call cannot become an HTTP request: ${problem.replace(/\.?$/, '.')} Nothing was sent.`,
      // The service gave an id that no url can hold: its job exists all the same.
      ...(isJobConfirmed ? { jobId, submission: 'accepted' } : {}),
    })
  }
}

/** Allows the next attempt, after the returned milliseconds. Undefined when there is none. */
export function allowRetry<T>(call: Call<T>): number | undefined {
  const { operation, context, client, happened } = call
  if (happened.failed === undefined) return undefined
  const { attempt, failure } = happened.failed
  if (!isWorthRetrying(operation.route.method, failure)) return undefined
  const retryAfterMs = retryAfterOf(failure, wallNow(client.clock))
  const delayMs = retryDelayMs(happened.failures - 1, retryAfterMs, client.random)
  if (delayMs === undefined || delayMs >= context.scope.remainingMs()) return undefined
  attempt.delayMs = delayMs
  observeFailure(call)
  return delayMs
}

/** Waits. @throws The error of the call when it is aborted meanwhile */
export async function pause<T>(call: Call<T>, delayMs: number): Promise<void> {
  const { happened, client, context } = call
  try {
    await sleep(client.clock, delayMs, context.scope.signal)
  } catch {
    happened.error = interruptedError(call, 'waiting for a retry')
    throw happened.error
  }
}

type Times = Pick<Attempt, 'startedAt' | 'durationMs'>

/** Of an attempt that ends now. The time of day is read at its end: Next.js fails a page that reads it before it requests something. */
export function timesSince(clock: Clock, startedAt: number): Times {
  const durationMs = clock.now() - startedAt
  return { startedAt: Math.round(wallNow(clock) - durationMs), durationMs }
}

/** Stores the outcome of an attempt. @returns The response for ky @throws The call's error, when there is no response */
export function recordOutcome<T>(call: Call<T>, outcome: Outcome, times: Times): Response {
  if (outcome.kind === 'response') call.happened.received = outcome.received
  const verdict = classify(call.operation, outcome, call.happened.hasArrived)
  if (verdict.kind === 'failure') return fail(call, verdict.failure, times)
  // For a hook that fails now, when the response names no job.
  call.happened.submission = 'unknown'
  const { response, requestId } = verdict.result
  const { status } = response
  const { scope } = call.context
  recordAttempt(scope, { ...times, status, reason: `HTTP ${status}` }, requestId)
  call.happened.result = { ...verdict.result, attempts: scope.sent.attempts }
  call.happened.error = undefined
  observe(call, { attempt: call.happened.failures + 1, status, durationMs: times.durationMs, requestId })
  // The error of a hook says which job it is about.
  call.happened.received = outcome.kind === 'response' ? outcome.received : outcome.partial
  return response
}

function fail<T>(call: Call<T>, last: Failure, times: Times): Response {
  // The worst of several attempts counts: one that was rejected has reached the service.
  const isUnsent = last.kind !== 'response' && last.submission === 'not_sent'
  const failure = isUnsent ? { ...last, submission: call.happened.submission } : last
  const attempt = { ...times, ...describeAttempt(failure) }
  // Without a key nothing was requested.
  if (failure.kind !== 'no_key') {
    call.happened.failures++
    const received = failure.kind === 'response' ? failure.received : failure.partial
    recordAttempt(call.context.scope, attempt, received?.requestId)
  }
  call.happened.failed = { attempt, failure }
  call.happened.submission = submissionAfter(failure)
  call.happened.hasArrived ||= call.happened.submission === 'unknown'
  call.happened.error = errorOf(call, failure)
  // Hooks get every response with an error status. An unreadable response is not from the service.
  if (failure.kind === 'response' && failure.problem === undefined) return failure.received.response
  throw call.happened.error
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'response') return { reason: failure.reason }
  const { status } = failure.received
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}

type Verdict<T> = { kind: 'result'; result: Omit<ApiResult<T>, 'attempts'> } | { kind: 'failure'; failure: Failure }

/** Distinguishes a result from a failure. `hasArrivedBefore`: the service may have acted on an earlier attempt. */
function classify<T>(operation: Operation<T>, outcome: Outcome, hasArrivedBefore: boolean): Verdict<T> {
  if (outcome.kind !== 'response') return recoverPartial(operation, outcome)
  const { received } = outcome
  const isSuccess = received.status >= 200 && received.status < 300
  if (isSuccess) return readSuccess(operation, received)
  const recovered = operation.readError?.(received, hasArrivedBefore)
  return recovered ? resultOf(recovered.data, received) : { kind: 'failure', failure: outcome }
}

/** A time limit cuts a response as a broken connection does. The received part may be the whole, or already name the job of a run. */
function recoverPartial<T>(operation: Operation<T>, interruption: Interruption): Verdict<T> {
  const { kind, partial } = interruption
  const isTimedOut = kind === 'timeout' || kind === 'deadline'
  const recovered =
    isTimedOut && partial ? classify(operation, { kind: 'response', received: partial }, true) : undefined
  return recovered?.kind === 'result' ? recovered : { kind: 'failure', failure: interruption }
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
