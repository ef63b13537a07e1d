import type { KyInstance } from 'ky'
import { loadPart } from '../load-part.ts'
import { createAttemptObserver } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import { allowRetry, type Call, createCall, observeFailure, pause, prepared, runAttempt } from './call.ts'
import { createKy, createRequestBuilder } from './ky.ts'
import type { SendWithHooks } from './ky-hooks.ts'
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
  let sendWithHooks: SendWithHooks | undefined
  return {
    call: async (operation, context) => {
      const { options } = context
      if (client.ky !== undefined && sendWithHooks === undefined) {
        const { createHookedSender } = await loadPart(() => import('./ky-hooks.ts'))
        sendWithHooks = createHookedSender(client, client.ky)
      }
      const request = prepared(operation, () => buildRequest(operation, options))
      const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
      const maxRetries = options.maxRetries ?? client.maxRetries
      const call = createCall({ operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries })
      try {
        await (sendWithHooks === undefined ? sendAttempts(ky, call) : sendWithHooks(call))
      } finally {
        observeFailure(call)
      }
      if (call.happened.result !== undefined) return call.happened.result
      throw call.happened.error
    },
  }
}

/** Sends a request until a retry is not allowed or does not help. */
async function sendAttempts<T>(ky: KyInstance, call: Call<T>): Promise<void> {
  const { happened, maxRetries, operation, request } = call
  for (;;) {
    try {
      // ky always calls `fetch` with a Request of its own.
      const fetch = (sent: unknown) => runAttempt(call, sent as Request)
      await prepared(operation, () => ky(request.path, { ...request.options, fetch }))
    } catch (error) {
      if (happened.failed === undefined) throw error
    }
    const delayMs = happened.attempts.length > maxRetries ? undefined : allowRetry(call)
    if (delayMs === undefined) return
    await pause(call, delayMs)
  }
}
