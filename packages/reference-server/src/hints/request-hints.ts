import { KEY_PREFIXES, MODEL_CATEGORIES, ROUTES, type Route } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import { KEY_LETTERS } from '../domain/api-keys.ts'
import type { RequestTrace } from '../http/app-env.ts'
import type { IncomingRequest } from '../http/messages.ts'
import { decodeSegment, pathBelow } from '../http/router.ts'
import type { Service } from '../service/service.ts'

/** A response that may need a hint, and the request to it. */
export interface HintContext {
  service: Service
  request: IncomingRequest
  trace: RequestTrace
  /** HTTP status of the response. */
  status: number
  /** Error code of an error response. */
  code: string | undefined
}

const LIST_PARAMETERS = ['category', 'search', 'limit', 'offset']
const RUN_MEMBERS = ['input', 'sync', 'webhook_url']

/** Longest origin that a hint repeats. */
const MAX_ORIGIN = 100

/** How to let a web page in. Its browser asks first, and hides a response that does not allow the page. */
export function corsHints({ request }: HintContext): string[] {
  const origin = request.headers.get('origin')
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
  if (origin === null || !isPreflight) return []
  const shown = origin.slice(0, MAX_ORIGIN)
  return [
    `A web page of ${shown} asks whether it may call this server: --cors ${shown} allows it, as does cors of listen.`,
  ]
}

/** Where clients of other services put their key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token']

const PREFIXES = Object.values(KEY_PREFIXES)

const BEARER = 'Send it as "Authorization: Bearer <API_KEY>".'

/** What may be wrong with the form of the key of a request that got a 401. */
export function keyHints({ request, status }: Pick<HintContext, 'request' | 'status'>): string[] {
  if (status !== 401) return []
  const header = request.headers.get('authorization')?.trim() ?? ''
  if (header === '') return missingHints(request)
  const [scheme = '', ...rest] = header.split(/\s+/)
  if (rest.length === 0 && scheme.startsWith('sk_')) return [`"Bearer" is missing before the key. ${BEARER}`]
  if (rest.length === 0 || !/^bearer$/i.test(scheme)) return []
  return rest.length === 1 ? formHints(rest[0] ?? '') : ['A key has no white space in it.']
}

/** Whether a request carries a key of production that this server did not make. */
export function foreignLiveKey({ keys }: Service, { headers }: IncomingRequest): boolean {
  const key = /\bsk_live_\S+/.exec(headers.get('authorization') ?? '')?.[0]
  return key !== undefined && keys.find(key) === undefined
}

function missingHints(request: IncomingRequest): string[] {
  const header = OTHER_HEADERS.find((name) => request.headers.has(name))
  if (header !== undefined) return [`The service does not read ${header}. ${BEARER}`]
  const query = [...new URL(request.url).searchParams].find(([, value]) => /^sk_(test|live)_/.test(value))
  return query === undefined ? [] : [`The service does not read a key from the query (${query[0]}). ${BEARER}`]
}

/**
 * Checks the form of the key alone, and never compares it with the keys that exist: otherwise a client could find a key
 * one character after the other.
 */
function formHints(sent: string): string[] {
  if (/^(undefined|null|none|\[object Object\])$/i.test(sent)) {
    return [`The key is the word "${sent}": a variable was probably not set.`]
  }
  if (/^[$<{]/.test(sent)) return ['The key is a placeholder: a variable was probably not filled in.']
  if (/^["'`]|["'`,;]$/.test(sent)) return ['The key stands in quotes, or has a comma or semicolon behind it.']
  const prefix = PREFIXES.find((one) => sent.startsWith(one))
  if (prefix === undefined) return [`Keys start with ${PREFIXES.join(' or ')}.`]
  if (!/^[\w-]+$/.test(sent)) return ['A key has only letters, digits, _ and -.']
  if (sent.length === prefix.length + KEY_LETTERS) return []
  return [`A key that the server creates has ${KEY_LETTERS} characters after ${prefix}: was it copied whole?`]
}

const ALL_ROUTES: readonly Route[] = Object.values(ROUTES)

/** Which request was probably meant, when no route takes it. */
export function pathHints(context: HintContext): string[] {
  const { trace, status, request } = context
  if (trace.route !== undefined || (status !== 404 && status !== 405)) return []
  const path = pathBelow(context.service.baseUrl, context.request.url)
  const segments = segmentsOf(path)
  const meant = routesFor(segments)
  if (meant.length === 0) return []
  const sameMethod = meant.filter(({ method }) => method === request.method)
  const routes = (sameMethod.length > 0 ? sameMethod : meant).map(({ method, path }) => `${method} ${path}`)
  return [...doubleVersion(path), `Did you mean ${routes.join(' or ')}?`]
}

function doubleVersion(path: string): string[] {
  return /^\/v1\/+v1\//.test(path) ? ['The path has /v1 twice: the base URL is given without it.'] : []
}

/** Segments as they were probably meant: one `v1` in front, nothing empty. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  while (/^v\d+$/i.test(segments[0] ?? '')) segments.shift()
  return ['v1', ...segments.map(decodeSegment)]
}

function routesFor(segments: readonly string[]): Route[] {
  const exact = ALL_ROUTES.filter((route) => fits(templateOf(route), segments))
  if (exact.length > 0) return exact
  // A verb at the end, as in `/v1/jobs/{id}/cancel`.
  return segments.at(-1) === 'cancel'
    ? [ROUTES.cancelJob].filter((route) => fits(templateOf(route), segments.slice(0, -1)))
    : []
}

function templateOf({ path }: Route): string[] {
  return path.split('/').slice(1)
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part.startsWith('{') || isAlmost(part, segments[index] ?? ''))
  )
}

function isAlmost(part: string, segment: string): boolean {
  return segment.toLowerCase() === part || closestName(segment, [part]) !== undefined
}

/** Which query parameter, or category, was probably meant. */
export function queryHints({ request, status, trace }: HintContext): string[] {
  if (!request.url.includes('?') || trace.route === undefined || trace.route === 'control') return []
  const query = [...new URL(request.url).searchParams]
  if (trace.route === 'listModels') return query.flatMap(([name, value]) => listHints(name, value))
  if (status !== 400) return []
  const field = query.map(([name]) => closestName(name, RUN_MEMBERS)).find((name) => name !== undefined)
  return trace.route === 'runModel' && field !== undefined ? [`${field} is a member of the JSON body.`] : []
}

function listHints(name: string, value: string): string[] {
  const categories: readonly string[] = MODEL_CATEGORIES
  if (name === 'category' && !categories.includes(value)) return didYouMean(closestName(value, categories))
  return LIST_PARAMETERS.includes(name) ? [] : didYouMean(closestName(name, LIST_PARAMETERS))
}

function didYouMean(name: string | undefined): string[] {
  return name === undefined ? [] : [`Did you mean ${name}?`]
}

/** Why a job was not found. */
export function jobHints(context: HintContext): string[] {
  const { service, status, trace } = context
  if (status !== 404 || (trace.route !== 'getJob' && trace.route !== 'cancelJob')) return []
  const id = decodeSegment(pathBelow(context.service.baseUrl, context.request.url).split('/').at(-1) ?? '')
  if (trace.isForeignJob) return ['It is a job of another account: was it created with another key?']
  if (id.startsWith('req_')) return ['That is a request_id. The path takes the job_id.']
  if (!id.startsWith('job_')) return ['A job_id starts with job_.']
  const { evicted } = service.jobs
  const limit = service.options.retention.finishedJobs
  return evicted === 0
    ? []
    : [`The newest ${limit} finished jobs are stored (option retention); ${evicted} older ones are gone.`]
}
