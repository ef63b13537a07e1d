import { sleep } from '../abort.ts'
import { DEADLINE } from '../scope.ts'
import type { RetryRules } from './ky-retries.ts'
import type { Interruption } from './operation.ts'
import { isWorthRetrying, retryDelayMs } from './retry-policy.ts'
import { type Call, errorOf, observeFailure, retryAfterOf } from './run-attempt.ts'

/** When the request of a call is sent again. */
export function callRetries<T>(call: Call<T>): RetryRules {
  const { client, operation, maxRetries } = call
  return {
    clock: client.clock,
    method: operation.route.method,
    limit: maxRetries,
    delayMs: () => {
      const delayMs = delayBeforeRetry(call)
      const last = call.attempts.at(-1)
      if (last === undefined || delayMs === undefined) return undefined
      last.delayMs = delayMs
      observeFailure(call)
      // Here and nowhere else: ky has ways to send again that do not ask.
      call.maySend = true
      return delayMs
    },
    pause: (delayMs) => pause(call, delayMs),
  }
}

function delayBeforeRetry<T>({ operation, context, client, attempts, failure }: Call<T>): number | undefined {
  if (failure === undefined) return undefined
  const retryAfterMs = retryAfterOf(failure, client.clock.now())
  if (!isWorthRetrying(operation.route.method, failure, retryAfterMs)) return undefined
  const delayMs = retryDelayMs({ retryCount: attempts.length - 1, retryAfterMs, random: client.random })
  return delayMs === undefined || delayMs >= context.scope.remainingMs() ? undefined : delayMs
}

/** Waits before a retry. An abort meanwhile leaves the run as the last attempt left it: not sent, or refused. */
async function pause<T>(call: Call<T>, delayMs: number): Promise<void> {
  const { signal } = call.context.scope
  try {
    await sleep(call.client.clock, delayMs, signal)
  } catch {
    const isDeadline = signal.reason === DEADLINE
    const interruption: Interruption = {
      kind: isDeadline ? 'deadline' : 'aborted',
      reason: 'waiting for a retry',
      submission: call.submission,
      cause: isDeadline ? undefined : signal.reason,
    }
    throw errorOf(call, interruption)
  }
}
