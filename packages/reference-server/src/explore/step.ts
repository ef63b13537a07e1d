import { ROUTES } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { IncomingRequest, ReplyOrFault } from '../http/messages.ts'
import { pathOf } from '../http/router.ts'

/**
 * What can happen next:
 * - `a`: the response to a run reaches the client
 * - `p`, `q`: a poll reaches the service, its response reaches the client
 * - `c`, `x`: the same of a cancel
 * - `s`: the job leaves the queue, so that the poll on its way does not see it there
 * - `e`: the provider is done, and the job ends
 * - `h`: the job does not end any more
 * - `d`: a delivery is sent
 * - `t`: time passes to the next timer
 */
export type StepKind = 'a' | 'p' | 'q' | 'c' | 'x' | 's' | 'e' | 'h' | 'd' | 't'

/** The natural order. */
export const NATURAL_ORDER: readonly StepKind[] = ['a', 'q', 'x', 's', 'p', 'c', 'e', 'd', 't', 'h']

/** Something that is held back. */
export interface Step {
  readonly kind: StepKind
  /** `undefined`: time passes. */
  readonly jobId: string | undefined
  /** Kind and number of the job, such as `d` and `d2`: the same in each run of a test, and a letter of a seed. */
  readonly key: string
  /** In words, as of now. */
  describe(): string
  /** Whether it can still happen. */
  isLive(): boolean
  /** How often something else came first. */
  passedOver: number
  /** Lets it happen. */
  open(): void
}

const SEED = /* @__PURE__ */ new RegExp(`^([${NATURAL_ORDER.join('')}]\\d*)+$`)

/** Whether a text can be a seed. */
export function isSeed(text: unknown): text is string {
  return typeof text === 'string' && SEED.test(text)
}

/** The letters of a seed. */
export function keysOf(seed: string): string[] {
  return seed.match(/[a-z]\d*/g) ?? []
}

const JOB_PATH = /\/v1\/jobs\/([^/]+)$/

/** A poll or a cancel. `undefined` for every other request. */
export function jobOfPath({ method, url }: IncomingRequest): { jobId: string; isCancel: boolean } | undefined {
  const jobId = JOB_PATH.exec(pathOf(url))?.[1]
  if (jobId === undefined) return undefined
  if (method === ROUTES.cancelJob.method) return { jobId, isCancel: true }
  return method === ROUTES.getJob.method ? { jobId, isCancel: false } : undefined
}

const responseSchema = /* @__PURE__ */ (() =>
  z.object({ job_id: z.optional(z.string()), data: z.optional(z.object({ status: z.optional(z.string()) })) }))()

/** What a client sees in a response: the job of a run, and the status of a job or of the response. */
export function seenStatus(reply: ReplyOrFault): { jobId: string | undefined; status: string } {
  if (reply.status === undefined) return { jobId: undefined, status: reply.fault }
  const parsed = responseSchema.safeParse(parseJson(typeof reply.body === 'string' ? reply.body : ''))
  const status = parsed.data?.data?.status ?? String(reply.status)
  return { jobId: parsed.data?.job_id, status }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
