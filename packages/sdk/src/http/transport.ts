import type { ModelRunError } from '@modelrun/kit'
import { ConfigurationError } from '@modelrun/kit'
import { isHTTPError } from 'ky'
import { sleep, startTimer, systemClock } from '../clock.ts'
import { createAttemptObserver } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import {
  type Call,
  callFields,
  heldError,
  interruptedError,
  observeFailure,
  runAttempt,
  takeHookResponse,
} from './call.ts'
import {
  type CallKy,
  type ClockHold,
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
      return await callWithKy(http, {
        ...{ operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries },
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
      })
    },
  }
}

async function callWithKy<T>(http: CallKy, call: Call<T>): Promise<ApiResult<T>> {
  const hold = createClockHold(call.client.clock)
  try {
    const sending = sendWithKy(http, call, hold)
    const response = await (call.client.ky === undefined ? sending : untilAborted(call, sending))
    // A hook of the caller has responded instead of the service; `ky.stop` ends the retries without any response.
    if (call.result === undefined && response !== undefined) await takeHookResponse(call, response)
  } catch (error) {
    const failure = failureOfCall(call, error)
    if (failure !== undefined) throw failure
  } finally {
    hold.end()
    observeFailure(call)
  }
  if (call.result !== undefined) return call.result
  throw failureOfCall(call, call.error)
}

function sendWithKy<T>(http: CallKy, call: Call<T>, hold: ClockHold): Promise<Response | undefined> {
  const { path, options } = call.request
  return prepared(call.operation, () =>
    http.ky(path, {
      ...options,
      ...kyRetries({ ...callRetries(call), hold, beforeRetry: http.beforeRetry }),
      throwHttpErrors: () => call.result === undefined,
      // ky always calls it with a Request of its own.
      fetch: (request, kyOptions) => runAttempt(call, request as Request, kyOptions),
    }),
  )
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

/** When the request of a call is sent again. */
function callRetries<T>(call: Call<T>): Omit<RetryRules, 'beforeRetry' | 'hold'> {
  const { client, context, operation, maxRetries } = call
  return {
    method: operation.route.method,
    limit: maxRetries,
    delayMs: () => {
      if (call.failed === undefined) return undefined
      const { attempt, failure } = call.failed
      const delayMs = delayBeforeRetry(call, failure)
      if (delayMs === undefined) return undefined
      attempt.delayMs = delayMs
      observeFailure(call)
      // Here and nowhere else: a hook can force ky to send again without asking.
      call.maySend = true
      return delayMs
    },
    pause: async (delayMs) => {
      call.isBusy = true
      try {
        await sleep(client.clock, delayMs, context.scope.signal)
      } catch {
        call.error = interruptedError(call, 'waiting for a retry')
        throw call.error
      } finally {
        call.isBusy = false
      }
    },
  }
}

function delayBeforeRetry<T>(call: Call<T>, failure: Failure): number | undefined {
  const { operation, context, client, attempts } = call
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  if (!isWorthRetrying(operation.route.method, failure)) return undefined
  const delayMs = retryDelayMs({ retryCount: attempts.length - 1, retryAfterMs, random: client.random })
  return delayMs === undefined || delayMs >= context.scope.remainingMs() ? undefined : delayMs
}

/**
 * The error for what ky threw: the call's own error, or the error of a caller's hook with the details of the call.
 *
 * @returns Undefined when the call has a result, which the error does not change
 */
function failureOfCall<T>(call: Call<T>, error: unknown): ModelRunError | undefined {
  const { error: lastError, result } = call
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
  const { timeoutMs, context } = call
  const { signal } = context.scope
  let stopTimer = () => {}
  let stop = async (_error: () => ModelRunError) => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = async (error) => {
      await call.sending
      call.error ??= error()
      // A hook that returns later must not send a request that was reported as not sent.
      call.maySend = false
      resolve(undefined)
    }
  })
  const onAbort = () => void stop(() => interruptedError(call, 'waiting for a ky hook'))
  const watch = () => {
    // Hooks take real time: a virtual clock would jump over it.
    stopTimer = startTimer(systemClock, timeoutMs, () => (call.isBusy ? watch() : void stop(() => heldError(call))))
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
