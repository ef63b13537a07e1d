import { sleep } from '../abort.ts'
import { type Call, interruptedError, observeFailure } from './call.ts'
import type { RetryRules } from './ky-retries.ts'
import type { Failure } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'
import { isWorthRetrying, retryDelayMs } from './status-policy.ts'

/** When the request of a call is sent again. */
export function callRetries<T>(call: Call<T>): Omit<RetryRules, 'beforeRetry'> {
  const { client, context, operation, maxRetries } = call
  return {
    clock: client.clock,
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
      try {
        await sleep(client.clock, delayMs, context.scope.signal)
      } catch {
        call.error = interruptedError(call, 'waiting for a retry')
        throw call.error
      }
    },
  }
}

function delayBeforeRetry<T>(call: Call<T>, failure: Failure): number | undefined {
  const { operation, context, client, attempts } = call
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  if (!isWorthRetrying(operation.route.method, failure, retryAfterMs)) return undefined
  const delayMs = retryDelayMs({ retryCount: attempts.length - 1, retryAfterMs, random: client.random })
  return delayMs === undefined || delayMs >= context.scope.remainingMs() ? undefined : delayMs
}
