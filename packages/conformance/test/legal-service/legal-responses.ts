import { isRecord } from '../../src/json.ts'
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
  const text = JSON.stringify(choices.extraMembers === 'everywhere' ? withExtras(body) : body)
  return new Response(text, { status, headers: { 'content-type': choices.contentType, ...headers, ...more } })
}

/** A member more in every object, but for the map of parameters, whose members are parameters. */
function withExtras(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withExtras(item))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([key, member]) => [key, withExtras(member, key)])
  return { ...Object.fromEntries(members), ...(name === 'properties' ? {} : { x_extra: { more: [1, null] } }) }
}
