import type { ErrorBody, RejectionKind, Rejections } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'
import type { Job } from '../domain/job.ts'
import { errorWith } from '../domain/job-field.ts'
import type { Service } from '../service/service.ts'
import type { RequestEnv, RouteDetails, RouteResult } from './app-env.ts'
import { jsonReply, type Reply, type ReplyOrFault } from './messages.ts'

/**
 * The error codes of the server (section 7), each with the HTTP status of its response. The option `assumptions` may
 * replace some of them.
 */
const SERVER_ERROR_CODES = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  INSUFFICIENT_CREDITS: 402,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
  PROVIDER_FAILURE: 502,
} as const

/** An error code that the server sends by default. */
export type ServerErrorCode = keyof typeof SERVER_ERROR_CODES

export function isServerErrorCode(code: string): code is ServerErrorCode {
  return Object.hasOwn(SERVER_ERROR_CODES, code)
}

/** Error responses (section 7), each with a code for programs and a message for people. */
export const errorResponses = {
  unauthorized: (message: string) => errorResponse('UNAUTHORIZED', message, { 'www-authenticate': 'Bearer' }),
  forbidden: (message: string) => errorResponse('FORBIDDEN', message),
  invalid: (message: string) => errorResponse('VALIDATION_ERROR', message),
  notFound: (message: string) => errorResponse('NOT_FOUND', message),
  methodNotAllowed: (method: string, allow: string) =>
    errorResponse('METHOD_NOT_ALLOWED', `This path does not take ${method}. It takes: ${allow}.`, { allow }),
  conflict: (message: string) => errorResponse('CONFLICT', message),
  payloadTooLarge: (message: string) => errorResponse('PAYLOAD_TOO_LARGE', message),
  internal: (message: string) => errorResponse('INTERNAL_ERROR', message),
  unavailable: (message: string) => errorResponse('UNAVAILABLE', message),
}

export function errorResponse(
  code: ServerErrorCode,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return jsonReply(SERVER_ERROR_CODES[code], { error: { code, message } } satisfies ErrorBody, { headers, code })
}

/** Kinds of requests that may also be accepted. */
export type AcceptableKind = {
  [Kind in RejectionKind]: 'accepted' extends Rejections[Kind] ? Kind : never
}[RejectionKind]

/** Accepted in one way or another. */
export function isAccepted({ options }: Pick<Service, 'options'>, kind: AcceptableKind): boolean {
  return typeof options.assumptions.rejections[kind] === 'string'
}

/** A rejection as the assumption `rejections` defines it (section 7). */
export function reject(
  { options }: Pick<Service, 'options'>,
  kind: RejectionKind,
  { message, ...details }: RouteDetails & { message: string },
): RouteResult {
  const rejection = options.assumptions.rejections[kind]
  // A caller that may accept a request checks `isAccepted` first.
  if (typeof rejection === 'string') throw new Error(`A request is accepted, and was rejected for ${kind}.`)
  const { status } = rejection
  const code = rejection.code ?? undefined
  return {
    ...details,
    rejection: kind,
    response: jsonReply(status, { error: { code: rejection.code, message } }, { code }),
  }
}

/** An error with the members that its rejection, or the assumption `errorMembers`, has beside code and message. */
export function withErrorMembers(
  { options }: Pick<Service, 'options'>,
  { details = {}, injected }: Pick<RequestEnv, 'details' | 'injected'>,
  result: ReplyOrFault,
): ReplyOrFault {
  const { rejection: kind, jobStatus } = details
  const isOfJob = kind === undefined && jobStatus !== undefined
  if (result.status === undefined || result.status < 400 || isOfJob || injected !== undefined) return result
  const { rejections, errorMembers } = options.assumptions
  const { requests = {}, unauthorized = requests, forbidden = requests } = errorMembers
  const rejection = kind && rejections[kind]
  const general = kind !== undefined ? requests : { 401: unauthorized, 403: forbidden }[result.status as 401 | 403]
  const members = (typeof rejection === 'object' ? rejection.members : undefined) ?? general ?? requests
  if (Object.keys(members).length === 0 || typeof result.body !== 'string') return result
  const body: unknown = JSON.parse(result.body)
  // Of the same form.
  const own = filled(members, { status: result.status, parameter: details.parameter }) as typeof members
  const reply = jsonReply(result.status, withMembers(isRecord(body) ? body : {}, own))
  return { ...result, body: reply.body, headers: { ...result.headers, ...reply.headers } }
}

/** Members that repeat the HTTP status have that of this response; `{parameter}` stands for the wrong parameter of an input. */
function filled(value: unknown, own: { status: number; parameter: string | undefined }): unknown {
  const fill = (text: string) => text.replaceAll('{parameter}', own.parameter ?? 'input')
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => filled(item, own))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    const isStatus = typeof member === 'number' && /^(http_?)?status(_?code)?$/i.test(name)
    return [fill(name), isStatus ? own.status : filled(member, own)]
  })
  return Object.fromEntries(members)
}

/** A body with more members, those of its error in `error`. What it has itself stays. */
export function withMembers(
  body: Readonly<Record<string, unknown>>,
  members: Rejected['members'] = {},
  job?: Job,
): object {
  return { ...members, ...body, error: errorWith(isRecord(body.error) ? body.error : {}, members, job) }
}

type Rejected = Exclude<Rejections['unknownModel'], string>
