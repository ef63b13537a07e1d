import { ROUTES, type RouteName } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { parseShape, type ShapeCheck } from '../parse-shape.ts'

/** Everything that can go wrong with a request. */
export const FAULT_KINDS = [
  'reset',
  'empty-reply',
  'refused',
  'hang',
  'slow-headers',
  'slow-body',
  'truncated-body',
  'malformed-json',
  'rate-limit',
  'server-error',
  'bad-gateway',
  'unavailable',
] as const

/**
 * What goes wrong with a request:
 * - `reset`: the connection is reset before the answer
 * - `empty-reply`: the connection ends before the answer
 * - `refused`: there is no connection (over a socket that listens: a reset)
 * - `hang`: no answer ever comes
 * - `slow-headers`: the answer comes late
 * - `slow-body`: the head of the answer comes at once, its body in four parts
 * - `truncated-body`: the connection ends in the middle of the body
 * - `malformed-json`: a 200 with a body that is no JSON
 * - `rate-limit`: a 429 with Retry-After
 * - `server-error`: a 500
 * - `bad-gateway`: a 502 with a web page, as from a proxy
 * - `unavailable`: a 503, with Retry-After if you say so
 */
export type FaultKind = (typeof FAULT_KINDS)[number]

/** Where a fault can strike: at an endpoint of section 4, or at a produced file. */
export type FaultRoute = RouteName | 'getFile'

/** A fault: what goes wrong, with which requests, how often. Times run on the server's clock. */
export interface FaultOptions {
  kind: FaultKind
  /** Only requests of this endpoint. Default: all of section 4, and files. */
  route?: FaultRoute | undefined
  /** Only requests for this model, its jobs and its files. */
  model?: string | undefined
  /** It strikes so many requests, and no more. Default: until it is removed. */
  count?: number | undefined
  /** The share of requests that it strikes, from 0 to 1, seeded. Default 1. */
  probability?: number | undefined
  /**
   * `effect`: the request does its work first, and only its answer is lost or spoiled: a run is accepted, and will be
   * charged. Default: the fault strikes instead of the work. `slow-body` and `truncated-body` spoil a real answer, so
   * the work is done in any case.
   */
  after?: 'effect' | undefined
  /** How late the head of `slow-headers`, or the end of `slow-body`, comes. Default 5 000. */
  delay_ms?: number | undefined
  /** How many bytes of a `truncated-body` come. Default: half of them. */
  bytes?: number | undefined
  /**
   * Retry-After of `rate-limit` (default 1) and `unavailable` (default `null`): seconds, a text that is sent as it is,
   * or `null` for none.
   */
  retry_after?: number | string | null | undefined
  /** Sends Retry-After as the date which `retry_after` seconds from now will be. Default `false`. */
  retry_after_as_date?: boolean | undefined
}

/** The parameters that not every kind takes. */
const PARAMETERS: Readonly<Record<FaultKind, readonly (keyof FaultOptions)[]>> = {
  reset: ['after'],
  'empty-reply': ['after'],
  refused: [],
  hang: ['after'],
  'slow-headers': ['after', 'delay_ms'],
  'slow-body': ['after', 'delay_ms'],
  'truncated-body': ['after', 'bytes'],
  'malformed-json': ['after'],
  'rate-limit': ['after', 'retry_after', 'retry_after_as_date'],
  'server-error': ['after'],
  'bad-gateway': ['after'],
  unavailable: ['after', 'retry_after', 'retry_after_as_date'],
}

/** What takes part in finding the requests; every kind has it. */
const TARGET: readonly string[] = ['kind', 'route', 'model', 'count', 'probability'] satisfies (keyof FaultOptions)[]

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the names of ROUTES are what RouteName is made of

/** What a header may hold; anything else would make the answer itself impossible. */
const HEADER_TEXT = /^[\t\x20-\x7e]*$/

/** Longer ones lie beyond what a date can hold. */
const MAX_RETRY_AFTER_S = LATEST_TIME_MS / 2_000

export const faultOptionsSchema = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  route: z.optional(z.enum([...ROUTE_NAMES, 'getFile'])),
  model: z.optional(z.string()),
  count: z.optional(z.int().check(z.minimum(1))),
  probability: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  after: z.optional(z.literal('effect')),
  delay_ms: z.optional(z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS))),
  bytes: z.optional(z.int().check(z.nonnegative())),
  retry_after: z.optional(
    z.union(
      [
        z.number().check(z.nonnegative(), z.maximum(MAX_RETRY_AFTER_S)),
        z.string().check(z.regex(HEADER_TEXT)),
        z.null(),
      ],
      'it must be a number of seconds, the text of a header, or null',
    ),
  ),
  retry_after_as_date: z.optional(z.boolean()),
}) satisfies z.ZodMiniType<FaultOptions>

/** Holds a fault that came from outside against what there is; the message says where it is wrong. */
export function readFault(value: unknown, models: ReadonlyMap<string, unknown>): ShapeCheck<FaultOptions> {
  const checked = parseShape(faultOptionsSchema, value)
  if (!checked.ok) return checked
  const message = problemOf(checked.value, models)
  return message === undefined ? checked : { ok: false, message }
}

function problemOf(fault: FaultOptions, models: ReadonlyMap<string, unknown>): string | undefined {
  const { kind, model, retry_after } = fault
  const odd = Object.entries(fault).find(([name, value]) => value !== undefined && !takes(kind, name))
  if (odd !== undefined) return `/${odd[0]} does not go with the kind ${kind}.`
  if (model !== undefined && !models.has(model)) {
    return `/model: there is no model ${JSON.stringify(model)}. GET /v1/models lists the models.`
  }
  if (fault.retry_after_as_date && typeof (retry_after ?? 0) === 'string') {
    return '/retry_after must be a number of seconds to be sent as a date.'
  }
  return undefined
}

function takes(kind: FaultKind, name: string): boolean {
  return TARGET.includes(name) || PARAMETERS[kind].some((parameter) => parameter === name)
}
