import type { ModelRunError } from '@modelrun/kit'
import type { KyInstance } from 'ky'
import { startTimer, systemClock } from '../../shared/clock.ts'
import { HookError } from '../errors/transport-errors.ts'
import type { ResolvedOptions } from '../options.ts'
import {
  allowRetry,
  type Call,
  callFields,
  errorOf,
  interruptedError,
  pause,
  prepared,
  recordOutcome,
  runAttempt,
} from './call.ts'
import { callKyOptions } from './ky.ts'
import { createClockHold, ForcedRetry, isErrorOfKy, isForcedRetry, kyRetries, type RetryRules } from './ky-retries.ts'
import { receive } from './read-response.ts'
import { consequence, submissionOf, whatIsKnown } from './to-error.ts'

/**
 * What loads with the first call of a client that has a ky instance of the caller. ky sends again by itself there, because it
 * runs the hooks in between.
 */
export type SendWithHooks = <T>(call: Call<T>) => Promise<void>

export function createHookedSender(client: ResolvedOptions, instance: KyInstance): SendWithHooks {
  // The client's wait before a retry comes before these.
  let beforeRetry: RetryRules['beforeRetry'] = []
  const ky = instance.extend((defaults) => {
    beforeRetry = defaults.hooks?.beforeRetry ?? []
    // To ky, a list that is undefined removes the one of the instance; its types leave that out.
    return { ...callKyOptions(client), hooks: { beforeRetry: undefined } as object }
  })
  return async (call) => {
    const { happened } = call
    const hooked: Hooked = { ky, beforeRetry, maySend: true, isBusy: false, sending: undefined }
    try {
      await send(hooked, call)
    } catch (error) {
      const failure = failureOf(call, error)
      if (failure === undefined) return
      happened.result = undefined
      happened.error = failure
    }
  }
}

/** One call through the instance of the caller. */
interface Hooked {
  readonly ky: KyInstance
  readonly beforeRetry: RetryRules['beforeRetry']
  /** True when the next attempt may be sent: the first one, and each retry that the policy allows. ky also sends without asking. */
  maySend: boolean
  /** True while an attempt is under way, or the wait before a retry. Otherwise a hook of the caller has the call. */
  isBusy: boolean
  /** The attempt that is under way, or was last. Never rejects. */
  sending: Promise<unknown> | undefined
}

async function send<T>(hooked: Hooked, call: Call<T>): Promise<void> {
  const { operation, client, maxRetries, happened, request } = call
  const hold = createClockHold(client.clock)
  const retries = kyRetries({
    method: operation.route.method,
    limit: maxRetries,
    delayMs: () => {
      const delayMs = allowRetry(call)
      // Here and nowhere else: a hook can force ky to send again without asking.
      hooked.maySend ||= delayMs !== undefined
      return delayMs
    },
    pause: (delayMs) => busily(hooked, () => pause(call, delayMs)),
    hold,
    beforeRetry: hooked.beforeRetry,
  })
  const fetch = (sent: unknown, kyOptions: object | undefined) => {
    // ky always calls `fetch` with a Request of its own.
    const attempt = attemptOf(hooked, call, { request: sent as Request, kyOptions })
    hooked.sending = attempt.catch(() => {})
    return attempt
  }
  const throwHttpErrors = () => happened.result === undefined
  try {
    const sending = prepared(operation, () =>
      hooked.ky(request.path, { ...request.options, ...retries, throwHttpErrors, fetch }),
    )
    const response = await untilAborted(hooked, call, sending)
    // A hook of the caller has responded instead of the service; `ky.stop` ends the retries without any response.
    if (happened.result === undefined && response !== undefined) await takeHookResponse(call, response)
  } finally {
    hold.end()
  }
}

async function busily<T>(hooked: Hooked, work: () => Promise<T>): Promise<T> {
  hooked.isBusy = true
  try {
    return await work()
  } finally {
    hooked.isBusy = false
  }
}

async function attemptOf<T>(
  hooked: Hooked,
  call: Call<T>,
  { request, kyOptions }: { request: Request; kyOptions: object | undefined },
): Promise<Response> {
  if (!hooked.maySend) throw new ForcedRetry('A hook asked to send the request again.')
  hooked.maySend = false
  const sent = {
    // Hooks may have changed them.
    headers: Object.fromEntries(request.headers),
    // Includes options of the caller's instance that only `fetch` knows, such as Next's `next`.
    fetchOptions: { ...kyOptions, ...call.request.fetchOptions },
  }
  const response = await busily(hooked, () => runAttempt(call, request, sent))
  const { received } = call.happened
  const canHaveBody = response.status >= 200 && ![204, 205, 304].includes(response.status)
  // A copy, because the body of the original has been read.
  return received && canHaveBody ? new Response(received.text, response) : response
}

/** Uses the response of a caller's hook as the response of the service. */
async function takeHookResponse<T>(call: Call<T>, response: Response): Promise<void> {
  const startedAt = call.client.clock.now()
  const received = await receive(response, call.context.scope.signal, (text) => text)
  recordOutcome(call, { kind: 'response', received }, startedAt)
}

/**
 * The error for what ky threw: the call's own error, or the error of a caller's hook with the details of the call.
 *
 * @returns Undefined when the call has a result, which the error does not change
 */
function failureOf<T>(call: Call<T>, error: unknown): ModelRunError | undefined {
  const { error: lastError, result } = call.happened
  const isForced = isForcedRetry(error)
  if (isForced) {
    call.client.log.warn(
      `${callFields(call).label} was not sent again, although a ky hook asked for it: it could be charged twice`,
    )
    if (result !== undefined) return undefined
  }
  if (lastError !== undefined && (isForced || error === lastError || isErrorOfKy(error, 'HTTPError'))) return lastError
  return hookError(call, error)
}

/** The error for a hook of the caller that threw, with the details of the call. */
function hookError<T>(call: Call<T>, cause: unknown): HookError {
  const failed = callFields(call)
  const { operation, label, attempts, received } = failed
  const { error: lastError, result } = call.happened
  const before = lastError?.submission ?? submissionOf(operation)
  const { jobId, ...known } = whatIsKnown(operation, received, before)
  const isAccepted = result !== undefined && jobId !== undefined
  const submission = isAccepted ? 'accepted' : before
  const reason = cause instanceof Error ? cause.message : String(cause)
  const then = isAccepted
    ? ` The service has accepted it: \`jobs.attach('${jobId}').result()\` brings the result.`
    : consequence({ ...known, submission, jobId }, failed, attempts.length === 0)
  return new HookError({
    message: `A hook of the ky instance failed in ${label}: ${reason}.${then}`,
    cause,
    attempts,
    submission,
    jobId,
    body: known.body,
    requestId: lastError?.requestId ?? received?.requestId,
    status: lastError?.status ?? received?.status,
    retryAfterMs: lastError?.retryAfterMs,
    isRetryable: lastError?.isRetryable,
  })
}

/**
 * Settles like `work`. A hook of the caller may wait for ever, so an abort, a deadline or the time limit of an attempt ends the
 * call, without a response. An attempt that is under way ends by itself then, and its outcome says more.
 */
async function untilAborted<T, W>(hooked: Hooked, call: Call<T>, work: Promise<W>): Promise<W | undefined> {
  const { timeoutMs, context, happened } = call
  const { signal } = context.scope
  let stopTimer = () => {}
  let stop = async (_error: () => ModelRunError) => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = async (error) => {
      await hooked.sending
      happened.error ??= error()
      // A hook that returns later must not send a request that was reported as not sent.
      hooked.maySend = false
      resolve(undefined)
    }
  })
  const onAbort = () => void stop(() => interruptedError(call, 'waiting for a ky hook'))
  const watch = () => {
    // Hooks take real time: a virtual clock would jump over it.
    stopTimer = startTimer(systemClock, timeoutMs, () => (hooked.isBusy ? watch() : void stop(() => heldError(call))))
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

/** The error of a call that a hook of the caller has held for longer than an attempt may take. */
function heldError<T>(call: Call<T>): ModelRunError {
  const reason = 'a ky hook did not return in time'
  return errorOf(call, { kind: 'timeout', reason, submission: call.happened.submission, cause: undefined })
}
