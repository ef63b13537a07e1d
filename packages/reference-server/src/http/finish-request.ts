import { isFault, type ResponseOrFault } from '../faults/fault.ts'
import { HINT_HEADER, hintFor } from '../hints/hint-for.ts'
import { foreignLiveKey, pathHints } from '../hints/request-hints.ts'
import { redactText, shownHeaders } from '../history/journal/redact.ts'
import type { RequestDetails } from '../history/journal/request-record.ts'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { JsonResponse } from './json-response.ts'
import type { RequestTrace } from './route-result.ts'

/**
 * Whether the dashboard reads something: the control API, or a produced file. Its reads change nothing and would fill the
 * journal and the log: a page that is open must not be seen in what it shows. Only browsers send the header, and no page
 * can set it.
 */
function isDashboardRead(
  { method, headers }: Request,
  { route }: RequestTrace,
  { injected }: AppEnv['Bindings'],
): boolean {
  if (method !== 'GET' || injected !== undefined || headers.get('sec-fetch-site') !== 'same-origin') return false
  return route === 'control' || route === 'getFile'
}

/** A request that has its response. */
export interface Exchange {
  request: Request
  env: AppEnv['Bindings']
  /** When the request came, on the server's clock. */
  at: number
  /** Place of its start in the journal. */
  startPlace: number
}

const LIVE_KEY_WARNING =
  'A live key that this server did not make was sent to it. If it is one of production, it has left its home: replace it.'

/** Audits the credits, adds hint and id to the response, and records the request in journal and log. */
export function finishRequest(service: Service, exchange: Exchange, given: ResponseOrFault): ResponseOrFault {
  const { observer } = service
  const { request, env, startPlace } = exchange
  const violations = observer.newViolations()
  const result = violations.length === 0 ? given : errorResponses.internal(violations.join('\n'))
  const code = result instanceof JsonResponse ? result.code : undefined
  const trace: RequestTrace = { ...env.details, route: env.route, apiKey: env.apiKey }
  if (isDashboardRead(request, trace, env)) return result
  const account = trace.apiKey?.account ?? trace.job?.account ?? null
  const hint = addHint(service, exchange, { trace, result, code })
  const identifiedResult = trace.route === 'control' ? result : addRequestId(service, result)
  const details = detailsOf(service, exchange, { trace, result, code, hint })
  observer.journal.addRequest(account, details, startPlace)
  if (observer.isShown) addAction(service, trace, details)
  const { method, status } = details
  if (trace.route === undefined && (status === 404 || status === 405)) {
    const meant = pathHints({ service, request, trace, status, code }).at(-1)
    observer.unmatched.add(account, { method, path: pathOf(details), status, hint: meant })
  }
  observer.log(() => lineOf(details))
  return identifiedResult
}

/** What is sent, and what is known of the request. */
interface Outcome {
  trace: RequestTrace
  result: ResponseOrFault
  code: string | undefined
}

function addHint(
  service: Service,
  { request, env: { injected } }: Exchange,
  { trace, result, code }: Outcome,
): string | undefined {
  if (isFault(result)) return undefined
  const hints = [...(trace.hints ?? [])]
  if (foreignLiveKey({ service, request, trace })) {
    service.observer.warn(`warning: ${LIVE_KEY_WARNING}`)
    hints.push(LIVE_KEY_WARNING)
  }
  const hint = injected
    ? `Made by ${injected.id} (${injected.kind}).`
    : hintFor({ service, request, trace: { ...trace, hints }, status: result.status, code })
  if (hint !== undefined) result.headers.set(HINT_HEADER, hint)
  return hint
}

function detailsOf(
  service: Service,
  { request, env: { injected }, at }: Exchange,
  { trace, result, code, hint }: Outcome & { hint: string | undefined },
): RequestDetails {
  const { method, url } = request
  const { route, jobStatus, requestBody } = trace
  return {
    at,
    durationMs: service.clock.now() - at,
    key: trace.apiKey?.key,
    method,
    url,
    route,
    status: isFault(result) ? undefined : result.status,
    jobStatus,
    code,
    job_id: trace.job?.id,
    requestBody,
    // Responses of the control API are about the journal, and not for it.
    responseBody: result instanceof JsonResponse && route !== 'control' ? result.shownBody : undefined,
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
  const run = { path: pathOf(details), status, job_status: jobStatus, ...(job === undefined ? { body } : {}) }
  observer.actions.add({ at, call: route, key, job_id: job?.id, ...(route === 'runModel' ? run : {}) })
}

function headersOf(
  request: Request,
  result: ResponseOrFault,
): Pick<RequestDetails, 'requestHeaders' | 'responseHeaders'> {
  const responseHeaders = isFault(result) ? undefined : shownHeaders(result.headers)
  return { requestHeaders: shownHeaders(request.headers), responseHeaders }
}

/** Without the query: it may hold a key. */
function pathOf({ url }: RequestDetails): string {
  return redactText(new URL(url).pathname)
}

function lineOf(details: RequestDetails): string {
  const { method, status, fault, durationMs, hint } = details
  const duration = `${Math.round(durationMs)} ms`
  const parts = [method, pathOf(details), status, fault && `fault ${fault}`, duration, hint && `(${hint})`]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Names the HTTP request. `request_id` in the body of a run is another id, that of the job at the provider. */
const REQUEST_ID_HEADER = 'x-request-id'

/**
 * Gives a response the id of its request, `http_1` and so on: the assumption `requestIdHeader`. Control requests have
 * none, so that a test which controls the server over HTTP sees the same ids as one in process.
 */
function addRequestId(service: Service, result: ResponseOrFault): ResponseOrFault {
  if (service.options.assumptions.requestIdHeader === 'none') return result
  const id = `http_${service.nextRequestNumber()}`
  if (!isFault(result)) return identified(result, id)
  return 'open' in result ? { ...result, open: () => identified(result.open(), id) } : result
}

function identified(response: Response, id: string): Response {
  response.headers.set(REQUEST_ID_HEADER, id)
  return response
}
