import { type ErrorBody, KEY_PREFIXES } from '@modelrun/contract'
import { defined, ModelRunError, memberOf } from '@modelrun/kit'
import { ApiError } from '../client/errors/api-errors.ts'
import { isRejection } from '../client/http/run-in-response.ts'
import { GATEWAY_REJECTION, isFromService } from '../client/http/status-policy.ts'

/** No cache may store a response, no other origin may read it, and no browser may guess another type than JSON. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

type HeaderValues = Readonly<Record<string, string | undefined>>

export function reply(status: number, body: object, headers: HeaderValues = {}): Response {
  return Response.json(body, { status, headers: defined({ ...HEADERS, ...headers }) })
}

/** A response with the error body of the service (section 7). */
export function rejection(
  status: number,
  [code, message]: readonly [string, string],
  headers?: HeaderValues,
): Response {
  return reply(status, { error: { code, message } } satisfies ErrorBody, headers)
}

/** Says that nothing was sent or accepted, and when to try again. Clients take it for a certain rejection of a run. */
export function unavailable(message: string, retryAfterS = 5, code = 'UNAVAILABLE'): Response {
  return rejection(503, [code, message], { 'retry-after': String(retryAfterS) })
}

/** The members that the specification names. Others, which the service may add, do not reach pages: they may be about the account. */
export function namedMembers(schemas: readonly { shape: object }[], body: object): object {
  const named = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)))
  return Object.fromEntries(Object.entries(defined(body)).filter(([name]) => named.has(name)))
}

/** Ids of models and jobs that are not there for this user, each for the same reason. */
export const unknownModel = () => rejection(404, ['NOT_FOUND', 'There is no such model.'])
export const unknownJob = () => rejection(404, ['NOT_FOUND', 'There is no such job.'])

/** Rejections that are about what the page sent. All others are between the proxy and the service. */
const FOR_THE_PAGE = new Set([400, 404, 409, 410, 413, 415, 422, 429])

/**
 * Any other rejection, such as 401 and 403, is about the proxy: its key, its machine, what is between it and the service. A
 * person has to see to it.
 */
const OPERATOR_RETRY_S = 300

/**
 * The response to a call that failed. For a run it says to the client of the page what is certain: a 4xx, or a 503 with
 * `Retry-After`, was not accepted, and may be sent again; a 502 without it may have been accepted, and is never sent again.
 * No text of an error reaches the page unless the service wrote it for the sender of the request.
 */
export function failureResponse(error: unknown, { isRun }: { isRun: boolean }): Response {
  if (!(error instanceof ModelRunError)) return unknownOutcome(isRun)
  const headers = { 'x-request-id': shownCode(error.requestId) }
  if (isRun && !['not_sent', 'rejected'].includes(error.submission)) return unknownOutcome(isRun, error)
  if (error instanceof ApiError) {
    const { status } = error
    if (FOR_THE_PAGE.has(status)) return passedOn(error, headers)
    // Its text contains the balance of the account.
    if (status === 402) {
      const code = codeOf(error, 'INSUFFICIENT_CREDITS')
      return rejection(402, [code, 'The account of this application cannot pay for the run.'], headers)
    }
    if (isRejection(status)) {
      const code = isFromService(error.apiCode) ? undefined : GATEWAY_REJECTION
      return unavailable('The service does not accept this application.', OPERATOR_RETRY_S, code)
    }
  }
  const isLater = isRun || error.retryAfterMs !== undefined
  return isLater ? unavailable('The service cannot take this now.', retryAfterS(error)) : unknownOutcome(isRun, error)
}

/** True for a failure that is reported to the operator of the proxy. */
export function isForOperator(error: unknown): boolean {
  if (!(error instanceof ApiError) || !isFromService(error.apiCode)) return true
  return !FOR_THE_PAGE.has(error.status) || error.status === 429
}

/** The code for the page; `otherwise` when that of the service is not one. */
function codeOf(error: ApiError, otherwise: string): string {
  return isFromService(error.apiCode) ? (shownCode(error.apiCode) ?? otherwise) : GATEWAY_REJECTION
}

function passedOn(error: ApiError, headers: Record<string, string | undefined>): Response {
  const sender = isFromService(error.apiCode) ? 'The service' : 'Something in front of the service'
  const message = shownText(memberOf(memberOf(error.body, 'error'), 'message')) ?? `${sender} rejects the request.`
  const retryAfter = error.retryAfterMs === undefined ? undefined : String(retryAfterS(error))
  return rejection(error.status, [codeOf(error, 'REJECTED'), message], { ...headers, 'retry-after': retryAfter })
}

function retryAfterS({ retryAfterMs }: ModelRunError): number | undefined {
  return retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000)
}

function unknownOutcome(isRun: boolean, error?: ModelRunError): Response {
  const code = (error instanceof ApiError && shownCode(error.apiCode)) || 'BAD_GATEWAY'
  const message = isRun
    ? 'The response of the service was lost. It may have accepted the run and may charge it, so it was not sent again.'
    : 'The service gave no usable response.'
  return rejection(502, [code, message], { 'x-request-id': shownCode(error?.requestId) })
}

const CODE = /^[\w.:-]{1,128}$/
const KEYS = /* @__PURE__ */ (() => new RegExp(`(${Object.values(KEY_PREFIXES).join('|')})\\S*`, 'g'))()
const MAX_LENGTH = 500

/** A code or an id of the service, when it is one; undefined otherwise. */
export function shownCode(code: string | undefined): string | undefined {
  return code !== undefined && CODE.test(code) ? code : undefined
}

/**
 * A text of the service for people, without keys and urls. Undefined for what is not such a text: a web page, a stack
 * trace, or something longer than a sentence or two.
 */
function shownText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > MAX_LENGTH) return undefined
  if (/[\n\r]|<[a-z!/]/i.test(text)) return undefined
  return text.replace(KEYS, '[redacted]').replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[url]')
}

/** The error of a job, as far as a page may see it (section 2.4). */
export function shownError({ code, message }: { code?: string | undefined; message?: unknown }): ErrorBody['error'] {
  return { code: shownCode(code) ?? 'PROVIDER_FAILURE', message: shownText(message) ?? 'The model failed.' }
}
