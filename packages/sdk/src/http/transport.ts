import { sleep } from '../abort.ts'
import type { Attempt, ModelRunError } from '../errors/model-run-error.ts'
import type { ResolvedOptions } from '../options.ts'
import { DEADLINE } from '../scope.ts'
import { buildRequest, type PreparedRequest } from './build-request.ts'
import { classify, mayHaveArrived } from './classify.ts'
import type { ApiResult, CallContext, Failure, Interruption, Operation } from './operation.ts'
import { parseRetryAfter } from './retry-after.ts'
import { isWorthRetrying, retryDelayMs } from './retry-policy.ts'
import { sendAttempt } from './send-attempt.ts'
import { toError } from './to-error.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  return {
    call: async (operation, context) => {
      const request = buildRequest(operation, client, context.options)
      const timeoutMs = (context.options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      return await callWithRetries({ operation, context, client, request, timeoutMs, attempts: [] })
    },
  }
}

interface Call<T> {
  operation: Operation<T>
  context: CallContext
  client: ResolvedOptions
  request: PreparedRequest
  timeoutMs: number
  /** Grows with each attempt. */
  attempts: Attempt[]
}

async function callWithRetries<T>(call: Call<T>): Promise<ApiResult<T>> {
  const { operation, context, client, request, timeoutMs, attempts } = call
  let hasArrivedBefore = false
  for (;;) {
    const startedAt = client.clock.now()
    const outcome = await sendAttempt(request, { client, signal: context.scope.signal, timeoutMs })
    const verdict = classify(operation, outcome, hasArrivedBefore)
    if (verdict.kind === 'result') return verdict.result
    hasArrivedBefore ||= mayHaveArrived(verdict.failure)
    const attempt: Attempt = {
      startedAt,
      durationMs: client.clock.now() - startedAt,
      ...describeAttempt(verdict.failure),
    }
    attempts.push(attempt)
    attempt.delayMs = delayBeforeRetry(call, verdict.failure)
    await pause(call, verdict.failure, attempt.delayMs)
  }
}

/** Milliseconds until the next attempt. @throws ModelRunError when there is to be none. */
function delayBeforeRetry<T>(call: Call<T>, failure: Failure): number {
  const { context, client, request, attempts } = call
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  const isRetryable = isWorthRetrying(request.method, failure, retryAfterMs)
  const retryCount = attempts.length - 1
  const delayMs = retryDelayMs({ retryCount, retryAfterMs, random: client.random })
  const isLast = !isRetryable || retryCount >= (context.options.maxRetries ?? client.maxRetries)
  if (isLast || delayMs === undefined || delayMs >= context.scope.remainingMs()) {
    throw errorOf(call, failure, { retryAfterMs, isRetryable })
  }
  return delayMs
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
  retry: { retryAfterMs: number | undefined; isRetryable: boolean },
): ModelRunError {
  const { label } = request
  const { deadlineMs } = context.scope
  return toError(failure, { operation, label, baseUrl: client.baseUrl, timeoutMs, deadlineMs, attempts, ...retry })
}

function retryAfterOf(failure: Failure, now: number): number | undefined {
  return failure.kind === 'answer'
    ? parseRetryAfter(failure.answer.response.headers.get('retry-after'), now)
    : undefined
}

function describeAttempt(failure: Failure): Pick<Attempt, 'status' | 'reason'> {
  if (failure.kind !== 'answer') return { reason: failure.reason }
  const { status } = failure.answer
  return { status, reason: failure.problem ?? `HTTP ${status}` }
}
