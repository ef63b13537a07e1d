import { type RunRequest, runRequestSchema } from '@modelrun/contract'
import { jsonPointer } from '@modelrun/kit'
import * as z from 'zod/mini'
import type { FoundBody } from '../shared/serving/node-listener.ts'
import { type BodyProblem, type BodyRules, tooLarge } from '../shared/serving/read-body.ts'
import type { PageRequest } from './page-request.ts'
import { rejection } from './reply.ts'

/** Longest time for which a body may be on its way: pages may have slow connections. */
const MAX_BODY_MS = 30_000

/** Deeper JSON is not an input, but an attempt to exhaust a stack. */
const MAX_DEPTH = 32

/** A body that is rejected, and the response that says why. */
class UnusableBody extends Error {
  readonly response: Response

  constructor(problem: string, kind: BodyProblem | 'not_json' = 'unusable') {
    super(problem)
    const message = `The body cannot be used: ${problem}.`
    if (kind === 'too_large') this.response = rejection(413, ['PAYLOAD_TOO_LARGE', message])
    else if (kind === 'not_json') this.response = rejection(415, ['UNSUPPORTED_MEDIA_TYPE', message])
    // Not 408 for one that is late: Chromium sends a request again after that, and a run could be paid twice.
    else this.response = rejection(400, ['VALIDATION_ERROR', message])
  }
}

/** What the proxy accepts as a body. */
export function bodyRules(maxBytes: number): BodyRules {
  return { maxBytes, maxMs: MAX_BODY_MS, unusable: (problem, kind) => new UnusableBody(problem, kind) }
}

/** Reads the body of a run and checks it, all but what the model says of its input. @returns It, or the rejection */
export async function readRunRequest(request: PageRequest, rules: BodyRules): Promise<RunRequest | Response> {
  try {
    // Forms of other sites can send three content types. JSON is not one of them.
    const [type] = request.headers.get('content-type')?.toLowerCase().split(';', 1) ?? []
    if (type?.trim() !== 'application/json') {
      throw new UnusableBody('its content-type is not application/json', 'not_json')
    }
    return checkRunRequest(toJson(await request.readBody(), rules))
  } catch (error) {
    if (error instanceof UnusableBody) return error.response
    throw error
  }
}

function toJson(body: FoundBody, rules: BodyRules): unknown {
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(textOf(body))
  if (bytes.byteLength > rules.maxBytes) throw tooLarge(rules)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new UnusableBody('it is not JSON')
  }
}

/** The value of a body parser is serialized again, so that it passes the same checks. */
function textOf(body: string | object): string {
  try {
    return typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  } catch {
    throw new UnusableBody('it is not JSON')
  }
}

function checkRunRequest(value: unknown): RunRequest {
  const problem = findJsonProblem(value, 0)
  if (problem !== undefined) throw new UnusableBody(problem)
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'webhook_url')) {
    throw new UnusableBody('a page cannot have a `webhook_url`: poll the job')
  }
  const checked = z.safeParse(runRequestSchema, value)
  if (checked.success) return checked.data
  throw new UnusableBody(describeIssue(checked.error.issues[0]))
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') {
    return `it has members that are not known: ${issue.keys.slice(0, 5).join(', ').slice(0, 200)}`
  }
  return `it has a wrong shape at ${jsonPointer(issue?.path ?? []) || 'its root'}`
}

/** Why a value cannot be an input; undefined when it can. */
function findJsonProblem(value: unknown, depth: number): string | undefined {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'a number in it is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return `it is deeper than ${MAX_DEPTH} levels`
  if (Object.hasOwn(value, '__proto__')) return 'it has a member `__proto__`'
  for (const member of Object.values(value)) {
    const problem = findJsonProblem(member, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}
