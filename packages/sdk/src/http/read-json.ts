import type * as z from 'zod/mini'
import { jsonPointer } from '../json-pointer.ts'
import { parseWire } from '../parse-wire.ts'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'

/** Parses the body of a response and checks its shape. Unknown fields stay. */
export function readJson<T>(schema: z.ZodMiniType<T>): (received: ReceivedResponse) => T {
  return ({ text, isCut }) => {
    const checked = parseWire(schema, parseJson(text, isCut))
    if (checked.success) return checked.data
    // A failed check has at least one issue.
    throw new UnreadableResponse(describeIssue(checked.error.issues[0] as z.core.$ZodIssue))
  }
}

/** The value of a JSON text, or undefined. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseJson(text: string, isCut: boolean): unknown {
  if (isCut) throw new UnreadableResponse(`the connection ended after ${text.length} characters of the body`)
  if (text.trim() === '') throw new UnreadableResponse('the body is empty')
  const value = tryParseJson(text)
  if (value === undefined) throw new UnreadableResponse(`the body is not JSON; it starts with ${excerpt(text)}`)
  return value
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `the body has a wrong shape at ${jsonPointer(path) || 'its root'}: ${message}`
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
