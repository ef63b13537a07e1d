import { abortable } from '@modelrun/kit'
import { BusyPolls } from '../clock/activity.ts'
import type { RequestDetails } from '../history/journal.ts'
import { redactText } from '../history/redact.ts'
import type { AppContext, RequestEnv } from '../routes/app-env.ts'
import type { Service } from '../service/service.ts'
import { errorResponse } from '../wire/error-responses.ts'
import { type Handle, type IncomingRequest, type Reply, type ReplyOrFault, toResponse } from '../wire/messages.ts'
import { pathBelow, pathOf, RoutedRequest, withModelAsSegment } from '../wire/router.ts'
import { fetchFailed } from './network-errors.ts'

/** A socket that is closed already no longer knows the address of its client. */
const UNKNOWN_IP = 'unknown'

/** Makes the function that all transports call. While it works, virtual time is paused. */
export function createHandle(service: Service, app: (context: AppContext) => Promise<ReplyOrFault>): Handle {
  const busyPolls = new BusyPolls(service.clock)
  const handle: Handle = async (
    request,
    { transport, onJob, ip = transport === 'node' ? UNKNOWN_IP : '127.0.0.1' },
  ) => {
    if (transport !== 'fetch') service.activity.expectRemoteClients()
    const work = service.activity.start()
    const held = busyPolls.admit(request, work)
    if (held !== undefined) await held
    const at = service.clock.now()
    const startPlace = service.observer.journal.place()
    const env: RequestEnv = {
      ip,
      isOverSocket: transport === 'node',
      work,
      route: undefined,
      apiKey: undefined,
      details: undefined,
      injected: undefined,
      handle,
      onJob,
    }
    try {
      const context = {
        req: new RoutedRequest(request, withModelAsSegment(pathBelow(service.baseUrl, request.url))),
        env,
      }
      const result = service.isClosed ? closedReply() : await app(context)
      return finishRequest(service, { request, env, at, startPlace }, service.isClosed ? closedReply() : result)
    } catch (error) {
      return errorResponse('INTERNAL_ERROR', `The reference server has a defect: ${String(error)}`)
    } finally {
      work.park()
    }
  }
  return handle
}

function closedReply(): Reply {
  return errorResponse('UNAVAILABLE', 'The reference server was closed.')
}

/**
 * Whether it only observes: a poll of what happened, or the dashboard with the control API or a produced file. Such reads change nothing
 * and would fill the journal and the log. Only browsers send the header, and no page can set it.
 */
function isObserving({ method, url, headers }: IncomingRequest, { route, injected }: RequestEnv): boolean {
  if (method !== 'GET' || injected !== undefined || (route !== 'control' && route !== 'getFile')) return false
  return headers.get('sec-fetch-site') === 'same-origin' || pathOf(url).endsWith('/_reference/activity')
}

/** A request that has its response. */
interface Exchange {
  request: IncomingRequest
  env: RequestEnv
  /** When the request came, on the server's clock. */
  at: number
  /** Place of its start in the journal. */
  startPlace: number
}

/** Adds the id to the response, and records the request in journal and log. */
function finishRequest(service: Service, exchange: Exchange, result: ReplyOrFault): ReplyOrFault {
  const { observer } = service
  const { request, env, startPlace } = exchange
  if (isObserving(request, env)) return result
  addRequestId(service, result, env)
  const details = detailsOf(service, exchange, result)
  observer.journal.addRequest(env.apiKey?.account ?? env.details?.job?.account ?? null, details, startPlace)
  observer.log(() => lineOf(details))
  return result
}

function detailsOf(service: Service, { request, env, at }: Exchange, result: ReplyOrFault): RequestDetails {
  const { apiKey, injected, route } = env
  const { job, jobStatus, requestBody } = env.details ?? {}
  const reply = isWhole(result) ? result : undefined
  return {
    at,
    durationMs: service.clock.now() - at,
    key: apiKey?.key,
    method: request.method,
    url: request.url,
    route,
    status: reply?.status,
    jobStatus,
    code: reply?.code,
    job_id: job?.id,
    requestBody,
    // Responses of the control API are about the journal, and not for it.
    responseBody: typeof reply?.body === 'string' && route !== 'control' ? reply.body : undefined,
    ...(service.observer.isShown ? headersOf(request, result) : {}),
    fault: injected && `${injected.kind} (${injected.id})`,
  }
}

/** A slow body comes to its end. */
function isWhole(result: ReplyOrFault): result is Reply {
  return result.fault === undefined || result.fault === 'slow-body'
}

function headersOf(
  request: IncomingRequest,
  result: ReplyOrFault,
): Pick<RequestDetails, 'requestHeaders' | 'responseHeaders'> {
  const responseHeaders = isWhole(result) ? Object.entries(result.headers) : undefined
  return { requestHeaders: [...request.headers], responseHeaders }
}

/** Without the query: it may hold a key. */
function lineOf(details: RequestDetails): string {
  const { method, url, status, fault, durationMs } = details
  const duration = `${Math.round(durationMs)} ms`
  const parts = [method, redactText(pathOf(url)), status, fault && `fault ${fault}`, duration]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Names the HTTP request. `request_id` in the body of a run is another id, that of the job at the provider. */
const REQUEST_ID_HEADER = 'x-request-id'

/**
 * Adds the id of the request, `http_1` and so on. Control requests have no id, so that a
 * test which controls the server over HTTP sees the same ids as one in process.
 */
function addRequestId(service: Service, result: ReplyOrFault, { route }: RequestEnv): void {
  const headers = result.status === undefined ? {} : result.headers
  if (route === 'control') return
  const id = `http_${++service.requests}`
  headers[REQUEST_ID_HEADER] ??= id // a fault may have one of its own
}

const ADVICE =
  'modelrun-reference-server: queueMicrotask is faked, and without it no runtime reads the body of a request or a ' +
  "response: calls hang until the fake time moves. Leave it alone: jest.useFakeTimers({ doNotFake: ['queueMicrotask', " +
  "'nextTick'] }), or vi.useFakeTimers() without queueMicrotask in toFake."

/** Makes a check that warns, once, of fake timers under which nothing can work; it cannot help by itself. */
function createFakeTimerCheck(): () => void {
  let isWarned = false
  return () => {
    // The libraries that fake it, Jest's and vitest's, mark what they put in its place.
    if (isWarned || !('clock' in globalThis.queueMicrotask)) return
    isWarned = true
    console.warn(ADVICE)
  }
}

/** The mark of a `fetch` that reports refused connections as undici, under Node's `fetch`, does. The client reads it. */
const REPORTS_LIKE_UNDICI = { [Symbol.for('modelrun.reports_like_undici')]: true }

/** A drop-in for the global `fetch` on top of a server: rejects when it is aborted, as the global one does. */
export function createFetch(
  handle: Handle,
  server: { readonly baseUrl: string },
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const checkTimers = createFakeTimerCheck()
  const serverFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    checkTimers()
    const request = new Request(input instanceof Request ? input : new URL(input, server.baseUrl), init)
    const { signal } = request
    signal.throwIfAborted()
    const handled = await abortable(handle(request, { transport: 'fetch' }), signal)
    if (handled.status === undefined) throw fetchFailed(handled.fault, request.url)
    return toResponse(handled)
  }
  return Object.assign(serverFetch, REPORTS_LIKE_UNDICI)
}
