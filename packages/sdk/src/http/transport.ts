import { isHTTPError, type KyInstance } from 'ky'
import { ConfigurationError } from '../errors/local-errors.ts'
import { createAttemptObserver } from '../observe/attempt-event.ts'
import type { ResolvedOptions } from '../options.ts'
import { callRetries } from './call-retries.ts'
import { createKy } from './ky-client.ts'
import { kyRequest } from './ky-request.ts'
import { kyRetries } from './ky-retries.ts'
import type { ApiResult, CallContext, Operation } from './operation.ts'
import { type Call, observeFailure, runAttempt } from './run-attempt.ts'
import { createSender } from './send-request.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  const http = createKy(client)
  const send = createSender(client)
  const observeAttempt = createAttemptObserver(client.log)
  return {
    call: async (operation, context) => {
      const { options } = context
      const request = prepared(() => kyRequest(operation, client, options))
      const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = options.maxRetries ?? client.maxRetries
      const ground = { operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries }
      return await callWithKy(http, {
        ...ground,
        attempts: [],
        maySend: true,
        hasArrived: false,
        submission: 'not_sent',
      })
    },
  }
}

async function callWithKy<T>(http: KyInstance, call: Call<T>): Promise<ApiResult<T>> {
  const { path, options } = call.request
  try {
    const fetch = (request: unknown) => runAttempt(call, request as Request)
    const throwHttpErrors = () => call.result === undefined
    const answer = await prepared(() =>
      http(path, { ...options, ...kyRetries(callRetries(call)), throwHttpErrors, fetch }),
    )
    if (call.result === undefined) await takeAnswer(call, answer)
  } catch (error) {
    if (call.failure !== undefined) observeFailure(call)
    throw isHTTPError(error) && call.error !== undefined ? call.error : error
  }
  if (call.result === undefined) throw new TypeError('ky ended without a result.')
  return call.result
}

/** A hook of the caller's has answered instead of the service. */
async function takeAnswer<T>(call: Call<T>, answer: Response | undefined): Promise<void> {
  // `ky.stop` ends the retries with no answer at all.
  if (answer === undefined) throw call.error
  call.maySend = true
  call.send = () => Promise.resolve(answer)
  await runAttempt(call, new Request(call.client.baseUrl))
  if (call.result === undefined) throw call.error
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
