import { sleep } from '../abort.ts'
import type { Attempt, ModelRunError } from '../errors/model-run-error.ts'
import { type AttemptEvent, createAttemptObserver } from '../observe/attempt-event.ts'
import { positive, type ResolvedOptions, wholeNumber } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import { buildRequest, type PreparedRequest } from './build-request.ts'
import { classify, mayHaveArrived } from './classify.ts'
import type { ApiResult, CallContext, Failure, Interruption, Operation } from './operation.ts'
import { parseRetryAfter } from './retry-after.ts'
import { isWorthRetrying, retryDelayMs } from './retry-policy.ts'
import { sendAttempt } from './send-attempt.ts'
import { createSender, type SendRequest } from './send-request.ts'
import { requestIdOf, toError } from './to-error.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  const send = createSender(client)
  const observeAttempt = createAttemptObserver(client.log)
  return {
    call: async (operation, context) => {
      const { options } = context
      const request = buildRequest(operation, client, options)
      const timeoutMs = positive('timeoutMs', options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = wholeNumber('maxRetries', options.maxRetries ?? client.maxRetries)
      const limits = { timeoutMs, maxRetries }
      return await callWithRetries({
        operation,
        context,
        client,
        send,
        observeAttempt,
        request,
        ...limits,
        attempts: [],
      })
    },
  }
}

interface Call<T> {
  operation: Operation<T>
  context: CallContext
  client: ResolvedOptions
  send: SendRequest
  observeAttempt: (event: AttemptEvent) => void
  request: PreparedRequest
  timeoutMs: number
  maxRetries: number
  /** Grows with each attempt. */
  attempts: Attempt[]
}

async function callWithRetries<T>(call: Call<T>): Promise<ApiResult<T>> {
  const { operation, context, client, send, request, timeoutMs, attempts } = call
  let hasArrivedBefore = false
  for (let attempt = 1; ; attempt++) {
    const startedAt = client.clock.now()
    const { signal } = context.scope
    const outcome = await sendAttempt(request, { client, send, signal, timeoutMs, attempt })
    const durationMs = client.clock.now() - startedAt
    const verdict = classify(operation, outcome, hasArrivedBefore)
    if (verdict.kind === 'result') {
      const { response, requestId } = verdict.result
      observe(call, { attempt, status: response.status, durationMs, requestId })
      return verdict.result
    }
    hasArrivedBefore ||= mayHaveArrived(verdict.failure)
    const record: Attempt = { startedAt, durationMs, ...describeAttempt(verdict.failure) }
    attempts.push(record)
    const decision = decideRetry(call, verdict.failure)
    if (decision.delayMs !== undefined) record.delayMs = decision.delayMs
    const { status, reason, delayMs } = record
    observe(call, { attempt, status, reason, durationMs, requestId: requestIdAfter(verdict.failure), delayMs })
    if (delayMs === undefined) throw errorOf(call, verdict.failure, decision)
    await pause(call, verdict.failure, delayMs)
  }
}

function observe<T>({ request, observeAttempt }: Call<T>, event: Omit<AttemptEvent, 'method' | 'path'>): void {
  observeAttempt({ method: request.method, path: request.path, ...event })
}

/** Whether and when a request is sent again. */
interface RetryDecision {
  retryAfterMs: number | undefined
  /** True when sending it again is safe and may help, however often it was tried. */
  isRetryable: boolean
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs?: number | undefined
}

function decideRetry<T>(call: Call<T>, failure: Failure): RetryDecision {
  const { context, client, request, maxRetries, attempts } = call
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  const isRetryable = isWorthRetrying(request.method, failure, retryAfterMs)
  const retryCount = attempts.length - 1
  const delayMs = retryDelayMs({ retryCount, retryAfterMs, random: client.random })
  const isLast = !isRetryable || retryCount >= maxRetries
  const isTooLong = delayMs === undefined || delayMs >= context.scope.remainingMs()
  return isLast || isTooLong ? { retryAfterMs, isRetryable } : { retryAfterMs, isRetryable, delayMs }
}

/** Waits before a retry. An abort meanwhile leaves the run as the last attempt left it: not sent, or refused. */
async function pause<T>(call: Call<T>, failure: Failure, delayMs: number): Promise<void> {
  const { signal } = call.context.scope
  try {
    await sleep(call.client.clock, delayMs, signal)
  } catch {
    const isDeadline = signal.reason === DEADLINE
    const interruption: Interruption = {
      kind: isDeadline ? 'deadline' : 'aborted',
      reason: 'waiting for a retry',
      submission: failure.kind === 'answer' ? 'rejected' : failure.submission,
      cause: isDeadline ? undefined : signal.reason,
    }
    throw errorOf(call, interruption, { retryAfterMs: undefined, isRetryable: false })
  }
}

function errorOf<T>(
  { operation, request, client, timeoutMs, context, attempts }: Call<T>,
  failure: Failure,
  { retryAfterMs, isRetryable }: RetryDecision,
): ModelRunError {
  const label = `${request.method} ${request.path}`
  const { deadlineMs } = context.scope
  const { baseUrl } = client
  return toError(failure, { operation, label, baseUrl, timeoutMs, deadlineMs, attempts, retryAfterMs, isRetryable })
}

function retryAfterOf(failure: Failure, now: number): number | undefined {
  return failure.kind === 'answer'
    ? parseRetryAfter(failure.answer.response.headers.get('retry-after'), now)
    : undefined
}

function requestIdAfter(failure: Failure): string | undefined {
  return failure.kind === 'answer' ? requestIdOf(failure.answer.response) : undefined
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'answer') return { reason: failure.reason }
  const { status } = failure.answer
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}
