import { routePath } from '@modelrun/contract'
import { toUrl } from '@modelrun/kit'
import ky, { type KyInstance, type Options } from 'ky'
import { withinScope } from '../../shared/clock.ts'
import { loadPart } from '../load-part.ts'
import { createAttemptObserver } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import { allowRetry, type Call, createCall, observeFailure, pause, prepared, runAttempt } from './call.ts'
import { headersByName, readFetchOptions } from './fetch.ts'
import type { ApiResult, CallContext, CallOptions, KyRequest, Operation } from './operation.ts'
import { createSender } from './send-attempt.ts'
import { isMove, REPEATABLE, submissionAfter } from './status-policy.ts'

/** Calls endpoints: build, send, classify, retry, parse. */
export interface Transport {
  /** @throws ModelRunError */
  call<T>(operation: Operation<T>, context: CallContext): Promise<ApiResult<T>>
  /** As `call`, for a call whose only time limit is that of each attempt. */
  callOnce<T>(operation: Operation<T>, options: CallOptions, check?: CallContext['beforeSend']): Promise<ApiResult<T>>
}

export function createTransport(client: ResolvedOptions): Transport {
  const instance = createKy(client)
  const send = createSender(client)
  const observeAttempt = createAttemptObserver(client.log)
  const call: Transport['call'] = async (operation, context) => {
    const { options } = context
    const hooks = client.ky && (await loadPart(() => import('./ky-hooks.ts')))
    const request = prepared(operation, () => kyRequest(client, operation, options))
    const timeoutMs = (options.timeoutMs ?? client.timeoutMs) + (operation.holdMs ?? 0)
    const maxRetries = options.maxRetries ?? client.maxRetries
    const sent = createCall({ operation, context, client, send, observeAttempt, request, timeoutMs, maxRetries })
    try {
      await sendAttempts(sent, () => (hooks?.sendThroughHooks ?? sendOnce)(instance, sent))
    } finally {
      observeFailure(sent)
    }
    if (sent.happened.result !== undefined) return sent.happened.result
    throw sent.happened.error
  }
  const callOnce: Transport['callOnce'] = (operation, options, beforeSend) =>
    withinScope({ clock: client.clock, signal: options.signal }, (scope) =>
      call(operation, { scope, options, beforeSend }),
    )
  return { call, callOnce }
}

/** Sends a request until a retry is not allowed or does not help. Each attempt is one call of ky, which never sends twice. */
async function sendAttempts<T>(call: Call<T>, send: () => Promise<void>): Promise<void> {
  for (;;) {
    await send()
    if (addSlash(call)) continue
    const delayMs = call.happened.failures > call.maxRetries ? undefined : allowRetry(call)
    if (delayMs === undefined) return
    await pause(call, delayMs)
  }
}

/**
 * Adds a slash to the path, once, when a site redirects to the same path with one at its end. The service has not handled the request,
 * so it is sent there, a run too. @returns whether it was added
 */
function addSlash<T>(call: Call<T>): boolean {
  const { client, operation, request, happened } = call
  const failure = happened.failed?.failure
  if (failure?.kind !== 'response' || !isMove(failure.received) || request.path.endsWith('/')) return false
  if (!REPEATABLE.includes(operation.route.method) && submissionAfter(failure) !== 'rejected') return false
  const { origin, pathname } = new URL(`${client.baseUrl}${request.path}`)
  const target = toUrl(failure.received.response.headers.get('location'), origin)
  if (target?.origin !== origin || target.pathname !== `${pathname}/`) return false
  request.path += '/'
  observeFailure(call)
  return true
}

/** One attempt. Its outcome is in `happened`. */
async function sendOnce<T>(instance: KyInstance, call: Call<T>): Promise<void> {
  const { happened, operation, request } = call
  try {
    // ky always calls `fetch` with a Request of its own.
    const fetch = (sent: unknown) => runAttempt(call, sent as Request)
    await prepared(operation, () => instance(request.path, { ...request.options, fetch }))
  } catch (error) {
    if (happened.failed === undefined) throw happened.error ?? error
  }
}

/** ky, or the instance of the caller, without what the client decides. */
function createKy({ baseUrl, ky: instance = ky }: ResolvedOptions): KyInstance {
  return instance.extend({
    prefix: baseUrl,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    // ky's timer ends with the head, and knows no clock but the system's: `sendAttempt` has one over head and body.
    timeout: false,
    totalTimeout: false,
    // Only the status policy decides what is sent again.
    retry: 0,
    throwHttpErrors: false,
  })
}

/** @throws TypeError, ConfigurationError when an argument cannot become a request */
function kyRequest(client: ResolvedOptions, operation: Operation<unknown>, call: CallOptions): KyRequest {
  const { method } = operation.route
  const body = operation.body === undefined ? undefined : JSON.stringify(operation.body)
  const headers: Record<string, string> = {
    ...client.headers,
    ...headersByName(call.headers),
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  if (cacheOption?.of !== Request) cacheOption = { of: Request, isTaken: takesCacheOption() }
  const options: Options = {
    method,
    // ky merges plain objects faster, but distinguishes the `X-Name` of an instance from `x-name` then.
    headers: client.ky === undefined ? headers : new Headers(headers),
    ...(operation.query === undefined ? {} : { searchParams: operation.query }),
    ...(cacheOption.isTaken ? { cache: 'no-store' } : {}),
  }
  const fetchOptions =
    call.fetchOptions === undefined
      ? client.fetchOptions
      : { ...client.fetchOptions, ...readFetchOptions(call.fetchOptions) }
  return { path: routePath(operation.route, operation.parameters), options, headers, body, fetchOptions }
}

/** Tested at the first call, because making a `Request` loads Node's HTTP client. */
let cacheOption: { of: unknown; isTaken: boolean } | undefined

/**
 * Some runtimes reject the field. Without it, frameworks that patch `fetch` would cache a job's status for ever, and some
 * would return an old response for the same POST.
 */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}
