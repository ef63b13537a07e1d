import { HINT_HEADER, hintFor } from '../hints/hint-for.ts'
import { foreignLiveKey, pathHints } from '../hints/request-hints.ts'
import { type RequestDetails, startOf } from '../history/journal/journal.ts'
import { redactText, shownHeaders } from '../history/journal/redact.ts'
import type { Service } from '../service/service.ts'
import type { RequestEnv, RequestTrace } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import type { IncomingRequest, ReplyOrFault } from './messages.ts'
import { pathOf } from './router.ts'

/**
 * Whether the dashboard reads something: the control API, or a produced file. Its reads change nothing and would fill the
 * journal and the log: a page that is open must not be seen in what it shows. Only browsers send the header, and no page
 * can set it.
 */
function isDashboardRead({ method, headers }: IncomingRequest, { route, injected }: RequestEnv): boolean {
  if (method !== 'GET' || injected !== undefined || headers.get('sec-fetch-site') !== 'same-origin') return false
  return route === 'control' || route === 'getFile'
}

/** A request that has its response. */
export interface Exchange {
  request: IncomingRequest
  env: RequestEnv
  /** When the request came, on the server's clock. */
  at: number
  /** Place of its start in the journal. */
  startPlace: number
}

const LIVE_KEY_WARNING =
  'A live key that this server did not make was sent to it. If it is one of production, it has left its home: replace it.'

/** Audits the credits, adds hint and id to the response, and records the request in journal and log. */
export function finishRequest(service: Service, exchange: Exchange, given: ReplyOrFault): ReplyOrFault {
  const { observer } = service
  const { request, env, startPlace } = exchange
  const violations = observer.newViolations()
  const result = violations.length === 0 ? given : errorResponses.internal(violations.join('\n'))
  const trace: RequestTrace = { ...env.details, route: env.route, apiKey: env.apiKey }
  if (isDashboardRead(request, env)) return result
  const account = trace.apiKey?.account ?? trace.job?.account ?? null
  const hint = hintOf(service, exchange, { trace, result })
  addHeaders(service, result, { trace, hint })
  const details = detailsOf(service, exchange, { trace, result, hint })
  observer.journal.addRequest(account, details, startPlace)
  if (observer.isShown) addAction(service, trace, details)
  const { method, status } = details
  if (trace.route === undefined && (status === 404 || status === 405)) {
    const meant = pathHints({ service, request, trace, status, code: undefined }).at(-1)
    observer.unmatched.add(account, { method, path: shownPath(details), status, hint: meant })
  }
  observer.log(() => lineOf(details))
  return result
}

/** What is sent, and what is known of the request. */
interface Outcome {
  trace: RequestTrace
  result: ReplyOrFault
}

function hintOf(
  service: Service,
  { request, env: { injected } }: Exchange,
  { trace, result }: Outcome,
): string | undefined {
  if (result.status === undefined || result.fault !== undefined) return undefined
  const hints = [...(trace.hints ?? [])]
  if (foreignLiveKey({ service, request, trace })) {
    service.observer.warn(`warning: ${LIVE_KEY_WARNING}`)
    hints.push(LIVE_KEY_WARNING)
  }
  if (injected !== undefined) return `Made by ${injected.id} (${injected.kind}).`
  return hintFor({ service, request, trace: { ...trace, hints }, status: result.status, code: result.code })
}

function detailsOf(
  service: Service,
  { request, env: { injected }, at }: Exchange,
  { trace, result, hint }: Outcome & { hint: string | undefined },
): RequestDetails {
  const { method, url } = request
  const { route, jobStatus, requestBody } = trace
  const reply = result.fault === undefined ? result : undefined
  return {
    at,
    durationMs: service.clock.now() - at,
    key: trace.apiKey?.key,
    method,
    url,
    route,
    status: result.fault === undefined ? result.status : undefined,
    jobStatus,
    code: reply?.code,
    job_id: trace.job?.id,
    requestBody,
    // Responses of the control API are about the journal, and not for it.
    responseBody: typeof reply?.body === 'string' && route !== 'control' ? reply.body : undefined,
    ...(service.observer.isShown ? headersOf(request, result) : {}),
    hint,
    fault: injected && `${injected.kind} (${injected.id})`,
  }
}

/** A run, or a cancel that worked: a test can do it again. */
function addAction(
  { observer, keys }: Service,
  { job, jobStatus, apiKey, requestBody: body, route }: RequestTrace,
  details: RequestDetails,
): void {
  const { at, status } = details
  if (route !== 'runModel' && (route !== 'cancelJob' || status === undefined || status >= 300)) return
  const key = apiKey?.account === keys.first.account ? undefined : apiKey?.key
  const sent = job === undefined && body !== undefined ? { body: startOf(body) } : {}
  const run = { path: shownPath(details), status, job_status: jobStatus, ...sent }
  observer.actions.add({ at, call: route, key, job_id: job?.id, ...(route === 'runModel' ? run : {}) })
}

function headersOf(
  request: IncomingRequest,
  result: ReplyOrFault,
): Pick<RequestDetails, 'requestHeaders' | 'responseHeaders'> {
  const responseHeaders = result.fault === undefined ? shownHeaders(Object.entries(result.headers)) : undefined
  return { requestHeaders: shownHeaders(request.headers), responseHeaders }
}

/** Without the query: it may hold a key. */
function shownPath({ url }: RequestDetails): string {
  return redactText(pathOf(url))
}

function lineOf(details: RequestDetails): string {
  const { method, status, fault, durationMs, hint } = details
  const duration = `${Math.round(durationMs)} ms`
  const parts = [method, shownPath(details), status, fault && `fault ${fault}`, duration, hint && `(${hint})`]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Names the HTTP request. `request_id` in the body of a run is another id, that of the job at the provider. */
const REQUEST_ID_HEADER = 'x-request-id'

/**
 * Adds the hint, and the id of the request, `http_1` and so on: the assumption `requestIdHeader`. Control requests have no
 * id, so that a test which controls the server over HTTP sees the same ids as one in process.
 */
function addHeaders(
  service: Service,
  result: ReplyOrFault,
  { trace, hint }: Pick<Outcome, 'trace'> & { hint: string | undefined },
): void {
  const headers = result.status === undefined ? {} : result.headers
  if (hint !== undefined) headers[HINT_HEADER] = hint
  if (trace.route === 'control' || service.options.assumptions.requestIdHeader === 'none') return
  headers[REQUEST_ID_HEADER] = `http_${service.nextRequestNumber()}`
}
