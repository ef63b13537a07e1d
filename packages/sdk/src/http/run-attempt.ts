import type { Attempt, ModelRunError, Submission } from '../errors/model-run-error.ts'
import type { AttemptEvent } from '../observe/attempt-event.ts'
import type { ResolvedOptions } from '../options.ts'
import { classify, mayHaveArrived } from './classify.ts'
import type { KyRequest } from './ky-request.ts'
import type { Answer, ApiResult, CallContext, Failure, Operation } from './operation.ts'
import { parseRetryAfter } from './retry-after.ts'
import { isWorthRetrying } from './retry-policy.ts'
import { sendAttempt } from './send-attempt.ts'
import type { SendRequest } from './send-request.ts'
import { requestIdOf, toError } from './to-error.ts'

/** One call on its way through ky. */
export interface Call<T> {
  operation: Operation<T>
  context: CallContext
  client: ResolvedOptions
  send: SendRequest
  observeAttempt: (event: AttemptEvent) => void
  request: KyRequest
  timeoutMs: number
  maxRetries: number
  /** Whether the request may be sent now: once, and once more for each retry that the rules allow. */
  maySend: boolean
  /** The attempts that failed. */
  attempts: Attempt[]
  /** True when an attempt may have counted. */
  hasArrived: boolean
  /** What the last attempt came to, until it is observed. */
  failure?: Failure | undefined
  /** Where the last attempt left the request. */
  submission: Submission
  result?: ApiResult<T>
  /** What the call fails with when no other attempt follows. */
  error?: ModelRunError
}

/** What ky calls for `fetch`: one attempt. Its errors are those of the call, if no other attempt follows. */
export async function runAttempt<T>(call: Call<T>, request: Request): Promise<Response> {
  const { operation, context, client, send, timeoutMs, attempts } = call
  const { path, body } = call.request
  const { signal } = context.scope
  if (!call.maySend) throw new TypeError('The request was to be sent again, which nobody allowed.')
  call.maySend = false
  const attempt = attempts.length + 1
  const startedAt = client.clock.now()
  const outcome = await sendAttempt(request, { client, send, signal, timeoutMs, path, body, attempt })
  const durationMs = client.clock.now() - startedAt
  const verdict = classify(operation, outcome, call.hasArrived)
  if (verdict.kind === 'failure') {
    const { failure } = verdict
    attempts.push({ startedAt, durationMs, ...describeAttempt(failure) })
    call.failure = failure
    call.submission = failure.kind === 'answer' ? 'rejected' : failure.submission
    call.hasArrived ||= mayHaveArrived(failure)
    call.error = errorOf(call, failure)
    // ky's hooks see every answer; what cannot be read is none.
    if (failure.kind === 'answer' && failure.problem === undefined) return answerForKy(call, failure.answer)
    throw call.error
  }
  call.result = verdict.result
  const { response, requestId } = verdict.result
  observe(call, { attempt, status: response.status, durationMs, requestId })
  return outcome.kind === 'answer' ? answerForKy(call, outcome.answer) : response
}

/** Hooks of the caller may read the body, which has been read. */
function answerForKy<T>({ client }: Call<T>, { status, text, response }: Answer): Response {
  const canHaveBody = status >= 200 && ![204, 205, 304].includes(status)
  if (client.ky === undefined || !canHaveBody) return response
  return new Response(text, { status, statusText: response.statusText, headers: response.headers })
}

/** Tells the last attempt to the log. */
export function observeFailure<T>(call: Call<T>): void {
  const { attempts, failure } = call
  const last = attempts.at(-1)
  if (last === undefined || failure === undefined) return
  const { status, reason, durationMs, delayMs } = last
  const requestId = failure.kind === 'answer' ? requestIdOf(failure.answer.response) : undefined
  observe(call, { attempt: attempts.length, status, reason, durationMs, requestId, delayMs })
  call.failure = undefined
}

function observe<T>(call: Call<T>, event: Omit<AttemptEvent, 'method' | 'path'>): void {
  const observed = { method: call.operation.route.method, path: call.request.path, ...event }
  call.observeAttempt(observed)
  call.context.onAttempt?.(observed)
}

/** The error for a failure of a call. */
export function errorOf<T>(call: Call<T>, failure: Failure): ModelRunError {
  const { operation, request, client, timeoutMs, context, attempts } = call
  const { method } = operation.route
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  return toError(failure, {
    operation,
    label: `${method} ${request.path}`,
    baseUrl: client.baseUrl,
    timeoutMs,
    deadlineMs: context.scope.deadlineMs,
    attempts,
    retryAfterMs,
    isRetryable: isWorthRetrying(method, failure, retryAfterMs),
  })
}

export function retryAfterOf(failure: Failure, now: number): number | undefined {
  return failure.kind === 'answer'
    ? parseRetryAfter(failure.answer.response.headers.get('retry-after'), now)
    : undefined
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'answer') return { reason: failure.reason }
  const { status } = failure.answer
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}
