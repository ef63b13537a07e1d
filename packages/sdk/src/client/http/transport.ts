import type { KyInstance } from 'ky'
import { loadPart } from '../load-part.ts'
import { createAttemptObserver } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import { allowRetry, type Call, createCall, observeFailure, pause, prepared, runAttempt } from './call.ts'
import { createKy, createRequestBuilder } from './ky.ts'
import type { ApiResult, CallContext, Operation } from './operation.ts'
import { createSender } from './send-attempt.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  const ky = createKy(client)
  const buildRequest = createRequestBuilder(client)
  const send = createSender(client)
  const observeAttempt = createAttemptObserver(client.log)
  return {
    call: async (operation, context) => {
      const { options } = context
      const hooks = client.ky && (await loadPart(() => import('./ky-hooks.ts')))
      const request = prepared(operation, () => buildRequest(operation, options))
      const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = options.maxRetries ?? client.maxRetries
      const call = createCall({ operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries })
      try {
        await sendAttempts(call, () => (hooks?.sendThroughHooks ?? sendOnce)(ky, call))
      } finally {
        observeFailure(call)
      }
      if (call.happened.result !== undefined) return call.happened.result
      throw call.happened.error
    },
  }
}

/** Sends a request until a retry is not allowed or does not help. Each attempt is one call of ky, which never sends twice. */
async function sendAttempts<T>(call: Call<T>, send: () => Promise<void>): Promise<void> {
  for (;;) {
    await send()
    const delayMs = call.happened.attempts.length > call.maxRetries ? undefined : allowRetry(call)
    if (delayMs === undefined) return
    await pause(call, delayMs)
  }
}

/** One attempt. Its outcome is in `happened`. */
async function sendOnce<T>(ky: KyInstance, call: Call<T>): Promise<void> {
  const { happened, operation, request } = call
  try {
    // ky always calls `fetch` with a Request of its own.
    const fetch = (sent: unknown) => runAttempt(call, sent as Request)
    await prepared(operation, () => ky(request.path, { ...request.options, fetch }))
  } catch (error) {
    if (happened.failed === undefined) throw error
  }
}
