import type { ModelRunError } from '@modelrun/kit'
import { ConfigurationError } from '@modelrun/kit'
import { isHTTPError, type KyInstance, type Options } from 'ky'
import { sleep, startTimer, systemClock } from '../../shared/clock.ts'
import { createAttemptObserver } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import {
  type Call,
  callFields,
  createCall,
  heldError,
  interruptedError,
  observeFailure,
  runAttempt,
  takeHookResponse,
} from './call.ts'
import {
  type CallKy,
  createClockHold,
  createKy,
  createRequestBuilder,
  isForcedRetry,
  kyRetries,
  type RetryRules,
} from './ky.ts'
import type { ApiResult, CallContext, Failure, Operation } from './operation.ts'
import { createSender } from './send-attempt.ts'
import { isWorthRetrying, retryAfterOf, retryDelayMs } from './status-policy.ts'
import { toHookError } from './to-error.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  const http = createKy(client)
  const buildRequest = createRequestBuilder(client)
  const send = createSender(client)
  const observeAttempt = createAttemptObserver(client.log)
  return {
    call: async (operation, context) => {
      const { options } = context
      const request = prepared(operation, () => buildRequest(operation, options))
      const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = options.maxRetries ?? client.maxRetries
      const asked = { operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries }
      return await callWithKy(http, createCall(asked))
    },
  }
}

async function callWithKy<T>(http: CallKy, call: Call<T>): Promise<ApiResult<T>> {
  const { happened } = call
  try {
    if (http.beforeRetry === undefined) await sendAttempts(http.ky, call)
    else await sendWithHooks(http.ky, call, http.beforeRetry)
  } catch (error) {
    const failure = failureOfCall(call, error)
    if (failure !== undefined) throw failure
  } finally {
    observeFailure(call)
  }
  if (happened.result !== undefined) return happened.result
  throw failureOfCall(call, happened.error)
}

/** Sends a request until a retry is not allowed or does not help. */
async function sendAttempts<T>(ky: KyInstance, call: Call<T>): Promise<void> {
  const { happened, maxRetries } = call
  for (;;) {
    try {
      await sendWithKy(ky, call, {})
    } catch (error) {
      if (happened.failed === undefined) throw error
    }
    const delayMs = happened.attempts.length > maxRetries ? undefined : allowRetry(call)
    if (delayMs === undefined) return
    await pause(call, delayMs)
  }
}

/** As {@link sendAttempts}, with the hooks of the caller's instance: ky sends again by itself, because it runs them in between. */
async function sendWithHooks<T>(ky: KyInstance, call: Call<T>, beforeRetry: RetryRules['beforeRetry']): Promise<void> {
  const { operation, client, maxRetries, happened } = call
  const hold = createClockHold(client.clock)
  const retries = kyRetries({
    method: operation.route.method,
    limit: maxRetries,
    delayMs: () => allowRetry(call),
    pause: (delayMs) => pause(call, delayMs),
    hold,
    beforeRetry,
  })
  try {
    const sending = sendWithKy(ky, call, { ...retries, throwHttpErrors: () => happened.result === undefined })
    const response = await untilAborted(call, sending)
    // A hook of the caller has responded instead of the service; `ky.stop` ends the retries without any response.
    if (happened.result === undefined && response !== undefined) await takeHookResponse(call, response)
  } finally {
    hold.end()
  }
}

function sendWithKy<T>(ky: KyInstance, call: Call<T>, more: Options): Promise<Response | undefined> {
  const { path, options } = call.request
  // ky always calls `fetch` with a Request of its own.
  const fetch: Options['fetch'] = (request, kyOptions) => runAttempt(call, request as Request, kyOptions)
  return prepared(call.operation, () => ky(path, { ...options, ...more, fetch }))
}

/** @throws ConfigurationError when an argument cannot become a request. */
function prepared<T>({ jobId, isJobConfirmed }: Operation<unknown>, prepare: () => T): T {
  try {
    return prepare()
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError({
      message: `The call cannot become an HTTP request: ${problem.replace(/\.?$/, '.')} Nothing was sent.`,
      cause: error,
      // The service gave an id that no url can hold: its job exists all the same.
      ...(isJobConfirmed ? { jobId, submission: 'accepted' } : {}),
    })
  }
}

/** Allows the next attempt, after the returned milliseconds. Undefined when there is none. */
function allowRetry<T>(call: Call<T>): number | undefined {
  const { happened } = call
  if (happened.failed === undefined) return undefined
  const { attempt, failure } = happened.failed
  const delayMs = delayBeforeRetry(call, failure)
  if (delayMs === undefined) return undefined
  attempt.delayMs = delayMs
  observeFailure(call)
  // Here and nowhere else: a hook can force ky to send again without asking.
  happened.maySend = true
  return delayMs
}

/** Waits. @throws The error of the call when it is aborted meanwhile */
async function pause<T>(call: Call<T>, delayMs: number): Promise<void> {
  const { happened, client, context } = call
  happened.isBusy = true
  try {
    await sleep(client.clock, delayMs, context.scope.signal)
  } catch {
    happened.error = interruptedError(call, 'waiting for a retry')
    throw happened.error
  } finally {
    happened.isBusy = false
  }
}

function delayBeforeRetry<T>(call: Call<T>, failure: Failure): number | undefined {
  const { operation, context, client, happened } = call
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  if (!isWorthRetrying(operation.route.method, failure)) return undefined
  const delayMs = retryDelayMs({ retryCount: happened.attempts.length - 1, retryAfterMs, random: client.random })
  return delayMs === undefined || delayMs >= context.scope.remainingMs() ? undefined : delayMs
}

/**
 * The error for what ky threw: the call's own error, or the error of a caller's hook with the details of the call.
 *
 * @returns Undefined when the call has a result, which the error does not change
 */
function failureOfCall<T>(call: Call<T>, error: unknown): ModelRunError | undefined {
  const { error: lastError, result } = call.happened
  const isForced = isForcedRetry(error)
  if (isForced) {
    call.client.log.warn(
      `${callFields(call).label} was not sent again, although a ky hook asked for it: it could be charged twice`,
    )
    if (result !== undefined) return undefined
  }
  if (lastError !== undefined && (isForced || error === lastError || isHTTPError(error))) return lastError
  return toHookError(error, { ...callFields(call), lastError, hasResult: result !== undefined })
}

/**
 * Settles like `work`. A hook of the caller may wait for ever, so an abort, a deadline or the time limit of an attempt ends the
 * call, without a response. An attempt that is under way ends by itself then, and its outcome says more.
 */
async function untilAborted<T, W>(call: Call<T>, work: Promise<W>): Promise<W | undefined> {
  const { timeoutMs, context, happened } = call
  const { signal } = context.scope
  let stopTimer = () => {}
  let stop = async (_error: () => ModelRunError) => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = async (error) => {
      await happened.sending
      happened.error ??= error()
      // A hook that returns later must not send a request that was reported as not sent.
      happened.maySend = false
      resolve(undefined)
    }
  })
  const onAbort = () => void stop(() => interruptedError(call, 'waiting for a ky hook'))
  const watch = () => {
    // Hooks take real time: a virtual clock would jump over it.
    stopTimer = startTimer(systemClock, timeoutMs, () => (happened.isBusy ? watch() : void stop(() => heldError(call))))
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  watch()
  try {
    return await Promise.race([work, stopped])
  } finally {
    stopTimer()
    signal.removeEventListener('abort', onAbort)
  }
}
