import { isRecord } from '../../packages/conformance/src/json.ts'
import type { LegalChoices, Rejection } from './legal-choices.ts'

/** A response before it is dressed: status, body (`undefined`: none) and headers. */
export interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string> | undefined
}

export function reply(status: number, body?: unknown, headers?: Record<string, string>): Reply {
  return { status, body, headers }
}

/** Section 7: `error` with `code` and `message`. */
export function rejection({ status, code }: Rejection, message = 'That cannot be done.'): Reply {
  return { status, body: { error: { code, message } } }
}

/** Adds what the specification does not name: members, headers, the media type. */
export function dressed({ status, body, headers = {} }: Reply, choices: LegalChoices, requestId: string): Response {
  const more = choices.requestIdHeader === 'sent' ? { 'x-request-id': requestId } : {}
  if (body === undefined) return new Response(null, { status, headers: { ...headers, ...more } })
  const whole = status < 400 ? body : withErrorMembers(body, { status, requestId, choices })
  const text = JSON.stringify(choices.extraMembers === 'everywhere' ? withExtras(whole) : whole)
  return new Response(text, { status, headers: { 'content-type': choices.contentType, ...headers, ...more } })
}

/** A member more in every object, but for the map of parameters, whose members are parameters. */
function withExtras(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withExtras(item))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([key, member]) => [key, withExtras(member, key)])
  return { ...Object.fromEntries(members), ...(name === 'properties' ? {} : { x_extra: { more: [1, null] } }) }
}

/** What errors hold beside code and message: all of them the same, or those of a key and of a mistake others. */
function withErrorMembers(
  body: unknown,
  { status, requestId, choices }: { status: number; requestId: string; choices: LegalChoices },
): unknown {
  if (!isRecord(body) || !isRecord(body.error) || choices.errorMembers === 'none') return body
  if (choices.errorMembers === 'of all')
    return { ...body, error: { ...body.error, details: [], request_id: requestId }, timestamp: '2026-01-01T00:00:00Z' }
  const ofStatus = new Map<number, object>([
    [401, { hint: 'Send a key.' }],
    [400, { details: [{ field: 'input' }] }],
    [422, { details: [{ field: 'input' }], issues: 1 }],
  ])
  return { ...body, error: { ...body.error, ...ofStatus.get(status) } }
}
