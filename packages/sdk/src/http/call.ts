import type { Attempt, ModelRunError, Submission } from '../errors/model-run-error.ts'
import type { AttemptEvent } from '../observe/attempt-event.ts'
import type { ResolvedOptions } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import { requestIdOf } from './classify.ts'
import type { KyRequest } from './ky-request.ts'
import type { ApiResult, CallContext, Failure, Operation, ReceivedResponse } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'
import type { SendRequest } from './send-request.ts'
import { isWorthRetrying } from './status-policy.ts'
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
  /** The attempts that failed. */
  readonly attempts: Attempt[]
  /** True when the next attempt may be sent: the first one, and each retry that the policy allows. ky also sends without asking. */
  maySend: boolean
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

/** The details of a call for its error. */
export function callFields<T>(call: Call<T>): Omit<FailedCall, 'retryAfterMs' | 'isRetryable'> {
  const { operation, request, client, timeoutMs, context, attempts } = call
  const label = `${operation.route.method} ${request.path}`
  const { baseUrl, apiKey } = client
  const isKeyless = apiKey === undefined
  return { operation, label, baseUrl, isKeyless, timeoutMs, deadlineMs: context.scope.deadlineMs, attempts }
}

/** The error for a failure of a call. */
export function errorOf<T>(call: Call<T>, failure: Failure): ModelRunError {
  const retryAfterMs = retryAfterOf(failure, call.client.clock.now())
  const isRetryable = isWorthRetrying(call.operation.route.method, failure, retryAfterMs)
  return toError(failure, { ...callFields(call), retryAfterMs, isRetryable })
}

/** The error of a call that was ended between two attempts or in a hook. Its `submission` is that of the last attempt. */
export function interruptedError<T>(call: Call<T>, reason: string): ModelRunError {
  const { signal } = call.context.scope
  const isDeadline = signal.reason === DEADLINE
  return errorOf(call, {
    kind: isDeadline ? 'deadline' : 'aborted',
    reason,
    submission: call.submission,
    cause: isDeadline ? undefined : signal.reason,
  })
}

/** Logs one attempt. */
export function observe<T>(call: Call<T>, event: Omit<AttemptEvent, 'method' | 'path'>): void {
  const observed = { method: call.operation.route.method, path: call.request.path, ...event }
  call.observeAttempt(observed)
  call.context.onAttempt?.(observed)
}

/** Logs the last attempt when it failed, once. */
export function observeFailure<T>(call: Call<T>): void {
  if (call.failed === undefined) return
  const { attempt, failure } = call.failed
  const { status, reason, durationMs, delayMs } = attempt
  const requestId = failure.kind === 'response' ? requestIdOf(failure.received.response) : undefined
  observe(call, { attempt: call.attempts.length, status, reason, durationMs, requestId, delayMs })
  call.failed = undefined
}
