import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { type InputCondition, inputConditionSchema } from './input-condition.ts'

/** Where a fault can be injected: the endpoints of section 4, and the produced files. */
export const FAULT_ENDPOINTS = ['listModels', 'getModel', 'runModel', 'getJob', 'cancelJob', 'getFile'] as const

export type FaultEndpoint = (typeof FAULT_ENDPOINTS)[number]

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
  'response',
] as const

/**
 * What goes wrong with a request:
 * - `reset`: the connection is reset before the response
 * - `empty-reply`: the connection ends before the response
 * - `refused`: there is no connection (over a socket that listens: a reset)
 * - `hang`: no response ever comes
 * - `slow-headers`: the response comes late
 * - `slow-body`: the head of the response comes at once, its body in four parts
 * - `truncated-body`: the connection ends in the middle of the body
 * - `malformed-json`: a 200 with a body that is not JSON
 * - `rate-limit`: a 429 with Retry-After
 * - `server-error`: a 500
 * - `bad-gateway`: a 502 with a web page, as from a proxy
 * - `unavailable`: a 503, with Retry-After if you say so
 * - `response`: a response of your own: `status`, `headers`, `body`
 */
export type FaultKind = (typeof FAULT_KINDS)[number]

interface FaultCondition extends InputCondition {
  /** Before or after the work, as `when: 'after'` alone. Default `'before'`. */
  moment?: 'before' | 'after' | undefined
}

/** The moment of kinds that have only one: without a connection no work is done, and a real response is slow or cut. */
export const MOMENT_OF_KIND: Readonly<Partial<Record<FaultKind, 'before' | 'after'>>> = {
  refused: 'before',
  'slow-body': 'after',
  'truncated-body': 'after',
}

/** Whether a fault is before or after the work. */
export function momentOf({ kind, when }: FaultOptions): 'before' | 'after' {
  const chosen = typeof when === 'object' ? when.moment : when
  return chosen ?? MOMENT_OF_KIND[kind] ?? 'before'
}

/** A fault: what goes wrong, with which requests, how often. Times run on the server's clock. */
export interface FaultOptions {
  /** What goes wrong. */
  kind: FaultKind
  /** Only requests of this endpoint. Default: all of section 4, and files. */
  route?: FaultEndpoint | undefined
  /** Only requests for this model, its jobs and its files. */
  model?: string | undefined
  /** Number of requests that it is injected into. Default: until it is removed. */
  times?: number | undefined
  /** The share of requests that it is injected into, from 0 to 1, seeded. Default 1. */
  probability?: number | undefined
  /**
   * Whether the fault comes before the service does the work, or after it. `'after'` a run is accepted and will be
   * charged (a synchronous one has had its hold), and only the response is lost or corrupted. Default `'before'`; `slow-body`
   * and `truncated-body` corrupt a real response, so theirs is always `'after'`.
   *
   * Or for which runs, their jobs and files, by the input: `{ input: { prompt: 'bad' }, moment: 'after' }`.
   */
  when?: 'before' | 'after' | FaultCondition | undefined
  /** How late the head of `slow-headers`, or the end of `slow-body`, comes. Default 5 000. */
  delay_ms?: number | undefined
  /** How many bytes of a `truncated-body` come. Default: half of them. */
  bytes?: number | undefined
  /** Retry-After in seconds of `rate-limit` (default 1) and `unavailable` (default `null`: none). */
  retry_after?: number | null | undefined
  /** Status of a `response`, from 200 to 599. Default 200. */
  status?: number | undefined
  /** Headers of a `response`. Its `content-type` is `application/json` by default, `text/html` for a string. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Body of a `response`: a string is sent as it is, any other value as JSON. Default: no body. */
  body?: unknown
}

/** What a header may hold; anything else would make the response impossible. */
const HEADER_TEXT = /^[\t\x20-\x7e]*$/

/** The server sets these itself, by the body that it sends. */
const FRAMING_HEADERS = /^(content-length|transfer-encoding|connection|keep-alive|upgrade|trailer)$/i

function isHeader([name, value]: [string, string]): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !FRAMING_HEADERS.test(name) && HEADER_TEXT.test(value)
}

const moment = z.enum(['before', 'after'])

export const faultOptionsSchema = /* @__PURE__ */ (() =>
  z.strictObject({
    kind: z.enum(FAULT_KINDS),
    route: z.optional(z.enum(FAULT_ENDPOINTS)),
    model: z.optional(z.string()),
    times: z.optional(z.int().check(z.minimum(1))),
    probability: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
    when: z.optional(
      z.union(
        [moment, z.extend(inputConditionSchema, { moment: z.optional(moment) })],
        'it must be "before", "after", or { input, moment }',
      ),
    ),
    delay_ms: z.optional(z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS))),
    bytes: z.optional(z.int().check(z.nonnegative())),
    retry_after: z.optional(z.nullable(z.number().check(z.nonnegative()))),
    status: z.optional(z.int().check(z.minimum(200), z.maximum(599))),
    headers: z.optional(
      z
        .record(z.string(), z.string())
        .check(z.refine((headers) => Object.entries(headers).every(isHeader), 'a response cannot have such a header')),
    ),
    body: z.optional(z.unknown()),
  }))() satisfies z.ZodMiniType<FaultOptions>
