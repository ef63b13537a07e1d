import { isHTTPError } from 'ky'
import type { ModelRunError } from '../errors/model-run-error.ts'
import { type Call, callFields, interruptedError } from './call.ts'
import { isForcedRetry } from './ky.ts'
import { toHookError } from './to-error.ts'

/**
 * The error for what ky threw: the call's own error, or the error of a caller's hook with the details of the call.
 *
 * @returns Undefined when the call has a result, which the error does not change
 */
export function failureOfCall<T>(call: Call<T>, error: unknown): ModelRunError | undefined {
  const { error: lastError, result, received } = call
  const isForced = isForcedRetry(error)
  if (isForced) {
    call.client.log.warn(
      `${callFields(call).label} was not sent again, although a ky hook asked for it: it could be charged twice`,
    )
    if (result !== undefined) return undefined
  }
  if (lastError !== undefined && (isForced || error === lastError || isHTTPError(error))) return lastError
  return toHookError(error, { ...callFields(call), lastError, hasResult: result !== undefined, received })
}

/**
 * Settles like `work`. A hook of the caller may wait for ever, so an abort or a deadline ends the call, without a response.
 * An attempt that is under way ends by itself then, and its outcome says more.
 */
export function untilAborted<T, W>(call: Call<T>, work: Promise<W>): Promise<W | undefined> {
  const { signal } = call.context.scope
  let stop = async () => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = async () => {
      await call.sending
      call.error ??= interruptedError(call, 'waiting for a ky hook')
      resolve(undefined)
    }
  })
  if (signal.aborted) void stop()
  // The listener is not removed: the signal ends with the call.
  signal.addEventListener('abort', stop)
  return Promise.race([work, stopped])
}
