import { type ModelRunError, memberOf } from '@modelrun/kit'
import type { KyInstance } from 'ky'
import { startTimer, systemClock } from '../../shared/clock.ts'
import { HookError } from '../errors/transport-errors.ts'
import {
  type Call,
  callFields,
  errorOf,
  interruptedError,
  observeFailure,
  prepared,
  recordOutcome,
  runAttempt,
  timesSince,
} from './call.ts'
import { receive } from './read-response.ts'
import { slow } from './send-attempt.ts'
import { consequence, whatIsKnown } from './to-error.ts'
import { watchUnsent } from './unsent-watch.ts'

/**
 * One attempt through the ky instance of the caller, whose hooks run around it. What loads with the first call of a client
 * that has such an instance. A hook that fails, or holds the call for too long, ends the call.
 */
export async function sendThroughHooks<T>(ky: KyInstance, call: Call<T>): Promise<void> {
  const { happened, client, request } = call
  const { run, sendCount } = watchUnsent(client, `${client.baseUrl}${request.path}`)
  const attempt: HookedAttempt = { maySend: true, isUnderWay: false, sendCount }
  try {
    const response = await run(() => untilAborted(call, attempt, () => callKy(ky, call, attempt)))
    noteOwnSends(call, attempt)
    // A hook of the caller has responded instead of the service, or has a result where the service had none.
    if (response !== undefined && happened.result === undefined && (happened.failed === undefined || response.ok)) {
      await takeHookResponse(call, response, sendCount() > 1)
    }
  } catch (error) {
    noteOwnSends(call, attempt)
    const failure = failureOf(call, error)
    if (failure === undefined || (failure === happened.error && happened.failed !== undefined)) return
    // Logs the attempt, which is not followed by another one.
    observeFailure(call)
    happened.result = undefined
    happened.error = failure
  }
}

interface HookedAttempt {
  /** False once the call has ended: a hook that returns later must not send a request that was reported as not sent. */
  maySend: boolean
  /** The request, once ky has sent it. Never rejects. */
  sending?: Promise<unknown>
  isUnderWay: boolean
  /** How often hooks may have sent it themselves. */
  sendCount(): number
}

/** The outcome of a run that a hook has sent itself is not known: not by the response to another request, nor without one. */
function noteOwnSends<T>(call: Call<T>, { sendCount }: HookedAttempt): void {
  const { happened, operation } = call
  if (!operation.isRun || happened.result !== undefined || sendCount() === 0) return
  happened.submission = 'unknown'
  const failure = happened.failed?.failure
  if (failure?.kind !== 'response') return
  failure.received.isRepeated = true
  happened.error = errorOf(call, failure)
}

function callKy<T>(ky: KyInstance, call: Call<T>, attempt: HookedAttempt): Promise<Response> {
  const { operation, request, happened } = call
  // ky always calls `fetch` with a Request of its own.
  const fetch = (sent: unknown, kyOptions: object | undefined) => {
    const response = attemptOf(attempt, call, { request: sent as Request, kyOptions })
    attempt.isUnderWay = true
    attempt.sending = response.catch(() => {}).finally(() => (attempt.isUnderWay = false))
    return response
  }
  // Not for the response of a hook, which is read like one of the service.
  const throwHttpErrors = () => happened.failed !== undefined
  return prepared(operation, () => ky(request.path, { ...request.options, throwHttpErrors, fetch }))
}

async function attemptOf<T>(
  attempt: HookedAttempt,
  call: Call<T>,
  { request, kyOptions }: { request: Request; kyOptions: object | undefined },
): Promise<Response> {
  if (!attempt.maySend) throw new Error('The call has ended before the request was sent.')
  attempt.maySend = false
  const sent = {
    // Hooks may have changed them.
    headers: Object.fromEntries(request.headers),
    // Includes options of the caller's instance that only `fetch` knows, such as Next's `next`.
    fetchOptions: { ...kyOptions, ...call.request.fetchOptions },
  }
  const response = await runAttempt(call, request, sent)
  const { received } = call.happened
  const canHaveBody = response.status >= 200 && ![204, 205, 304].includes(response.status)
  // A copy, because the body of the original has been read.
  return received && canHaveBody ? new Response(received.text, response) : response
}

/** Uses the response of a caller's hook as the response of the service. */
async function takeHookResponse<T>(call: Call<T>, response: Response, isRepeated: boolean): Promise<void> {
  observeFailure(call)
  const startedAt = call.client.clock.now()
  const received = await receive(response, call.context.scope.signal, (text) => text)
  const outcome = { kind: 'response', received: { ...received, isRepeated } } as const
  recordOutcome(call, outcome, timesSince(call.client.clock, startedAt))
}

/**
 * The error for what ky threw: the call's own error, or the error of a caller's hook with the details of the call.
 *
 * @returns Undefined when the call has a result, which the error does not change
 */
function failureOf<T>(call: Call<T>, error: unknown): ModelRunError | undefined {
  const { error: lastError, result } = call.happened
  const isForced = isErrorOfKy(error, 'ForceRetryError')
  if (isForced) {
    call.client.log.warn(`${callFields(call).label} was not sent again as a ky hook asked: it could be charged twice`)
    if (result !== undefined) return undefined
  }
  if (lastError !== undefined && (isForced || error === lastError || isErrorOfKy(error, 'HTTPError'))) return lastError
  return hookError(call, error)
}

/** By name: the caller may have another copy of ky, whose classes a bundler has renamed. */
function isErrorOfKy(error: unknown, name: 'HTTPError' | 'ForceRetryError'): boolean {
  return memberOf(error, 'name') === name
}

function hookError<T>(call: Call<T>, cause: unknown): HookError {
  const failed = callFields(call)
  const { operation, label, failures, received } = failed
  const { error: lastError, result } = call.happened
  const { jobId, ...known } = whatIsKnown(operation, received, call.happened.submission)
  const isAccepted = result !== undefined && jobId !== undefined
  const submission = isAccepted ? 'accepted' : known.submission
  const reason = cause instanceof Error ? cause.message : String(cause)
  const then = isAccepted
    ? ` The service has accepted it: \`jobs.attach('${jobId}').result()\` brings the result.`
    : consequence({ ...known, submission, jobId }, failed, failures === 0)
  return new HookError({
    message: `A hook of the ky instance failed in ${label}: ${reason}.${then}`,
    cause,
    submission,
    jobId,
    body: known.body,
    status: lastError?.status ?? received?.status,
    retryAfterMs: lastError?.retryAfterMs,
    isRetryable: lastError?.isRetryable,
  })
}

/**
 * Settles like `work`. A hook of the caller may wait for ever, so an abort, a deadline or the time limit of an attempt ends the
 * call, without a response. An attempt that is under way ends by itself then, and its outcome says more.
 */
async function untilAborted<T, W>(
  call: Call<T>,
  attempt: HookedAttempt,
  work: () => Promise<W>,
): Promise<W | undefined> {
  const { timeoutMs, context, happened } = call
  const { signal } = context.scope
  let stopTimer = () => {}
  let stop = async (_error: () => ModelRunError) => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = async (error) => {
      await attempt.sending
      attempt.maySend = false
      noteOwnSends(call, attempt)
      // The error of an earlier attempt is not the end of this one.
      if (attempt.sending === undefined || happened.error === undefined) happened.error = error()
      observeFailure(call)
      resolve(undefined)
    }
  })
  const onAbort = () => void stop(() => interruptedError(call, 'waiting for a ky hook'))
  const onTime = () => (attempt.isUnderWay ? watch() : void stop(() => heldError(call)))
  const watch = () => {
    // Hooks take real time: a virtual clock would jump over it.
    stopTimer = startTimer(systemClock, timeoutMs, onTime)
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  watch()
  try {
    return await (signal.aborted ? stopped : Promise.race([work(), stopped]))
  } finally {
    stopTimer()
    signal.removeEventListener('abort', onAbort)
  }
}

/** The error of a call that a hook of the caller has held for longer than an attempt may take. */
function heldError<T>(call: Call<T>): ModelRunError {
  const { submission } = call.happened
  return errorOf(call, { kind: 'timeout', reason: 'a ky hook', hint: slow('A ky hook'), submission, cause: undefined })
}
