import { ConfigurationError } from '../errors/local-errors.ts'
import { createAttemptObserver } from '../observe/attempt-event.ts'
import type { ResolvedOptions } from '../options.ts'
import { type Call, observeFailure } from './call.ts'
import { callRetries } from './call-retries.ts'
import { failureOfCall, untilAborted } from './hook-failure.ts'
import { type CallKy, createKy } from './ky-client.ts'
import { createRequestBuilder } from './ky-request.ts'
import { kyRetries } from './ky-retries.ts'
import type { ApiResult, CallContext, Operation } from './operation.ts'
import { runAttempt, takeHookResponse } from './run-attempt.ts'
import { createSender } from './send-request.ts'

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
      const request = prepared(() => buildRequest(operation, options))
      const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = options.maxRetries ?? client.maxRetries
      return await callWithKy(http, {
        ...{ operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries },
        attempts: [],
        maySend: true,
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
  try {
    const response = await untilAborted(call, sendWithKy(http, call))
    // A hook of the caller has responded instead of the service; `ky.stop` ends the retries without any response.
    if (call.result === undefined && response !== undefined) await takeHookResponse(call, response)
  } catch (error) {
    const failure = failureOfCall(call, error)
    if (failure !== undefined) throw failure
  } finally {
    observeFailure(call)
  }
  if (call.result !== undefined) return call.result
  throw failureOfCall(call, call.error)
}

function sendWithKy<T>(http: CallKy, call: Call<T>): Promise<Response | undefined> {
  const { path, options } = call.request
  return prepared(() =>
    http.ky(path, {
      ...options,
      ...kyRetries({ ...callRetries(call), beforeRetry: http.beforeRetry }),
      throwHttpErrors: () => call.result === undefined,
      // ky always calls it with a Request of its own.
      fetch: (request, kyOptions) => runAttempt(call, request as Request, kyOptions),
    }),
  )
}

/** @throws ConfigurationError when an argument cannot become a request. */
function prepared<T>(prepare: () => T): T {
  try {
    return prepare()
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError({
      message: `The call cannot become an HTTP request: ${problem.replace(/\.?$/, '.')} Nothing was sent.`,
      cause: error,
    })
  }
}
