import { JOB_STATUSES } from '@modelrun/contract'
import * as z from 'zod/mini'
import { deliveryRecordSchema, headersSchema } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'

const text = /* @__PURE__ */ z.optional(z.string())

const base = {
  /** Milliseconds since 1970 on the server's clock. */
  at: /* @__PURE__ */ z.number(),
  /** The tenant: the start of its API key, `sk_test_ab12…`. Missing when the request had no key. */
  key: text,
}

const note = /* @__PURE__ */ (() =>
  z.object({
    /** Distinguishes the kinds of entry. */
    kind: z.literal('note'),
    ...base,
    /** The warning, for people. */
    text: z.string(),
  }))()

/** Each kind of entry of the journal. */
export const JOURNAL_SCHEMAS = /* @__PURE__ */ (() => ({
  request: z.object({
    /** Distinguishes the kinds of entry. */
    kind: z.literal('request'),
    ...base,
    /** HTTP method. */
    method: z.string(),
    /** Without the query. */
    path: z.string(),
    /** Name of the endpoint in `ROUTES`, `file`, `control`, or nothing when no route matched. */
    route: text,
    /** HTTP status; missing when the connection was broken instead. */
    status: z.optional(z.int()),
    /** The job's status in the response: section 3, or `completed`. */
    jobStatus: text,
    /** Error code of an error response (section 7). */
    code: text,
    /** Identifier of the job that the request was about, when there was one. */
    job_id: text,
    /** Body of the request as text; missing when it had none. */
    requestBody: text,
    /** Body of the response as text; missing when it had none. */
    responseBody: text,
    /** Headers of the request, without secrets. Only where the server shows a dashboard. */
    requestHeaders: z.optional(headersSchema),
    /** Headers of the response. Only where the server shows a dashboard. */
    responseHeaders: z.optional(headersSchema),
    /** The fault that was injected. */
    fault: text,
    /** Time to the response on the server's clock, in milliseconds. */
    durationMs: z.number(),
  }),
  job: z.object({
    /** Distinguishes the kinds of entry. */
    kind: z.literal('job'),
    ...base,
    /** Identifier of the job. */
    job_id: z.string(),
    /** Id of the model that was run. */
    model_id: z.string(),
    /** Missing when the job was created. */
    from: z.optional(z.enum(JOB_STATUSES)),
    /** Status from then on. */
    to: z.enum(JOB_STATUSES),
    /** Price of the run: reserved when it is created, charged when it succeeds, given back when it ends otherwise. */
    credits: z.int().check(z.nonnegative()),
    /** Error code of a job that failed. */
    code: text,
    /** Of a job that failed and is charged all the same: the assumption `creditsOfFailedRun`. */
    isCharged: z.optional(z.boolean()),
  }),
  delivery: z.object({
    /** Distinguishes the kinds of entry. */
    kind: z.literal('delivery'),
    ...base,
    ...z.pick(deliveryRecordSchema, { job_id: true, url: true, outcome: true, status: true, reason: true }).shape,
    /** Time to the receiver's response on the server's clock, in milliseconds. */
    durationMs: z.number(),
  }),
  note,
}))()

type Entry<Kind extends keyof typeof JOURNAL_SCHEMAS> = Readonly<z.output<(typeof JOURNAL_SCHEMAS)[Kind]>>

/** A request and its response. Texts are cut at 2,048 bytes; API keys, and queries of webhook URLs, are left out. */
export type RequestEntry = Entry<'request'>

/** A job that was created, or whose status changed (section 3). */
export type JobEntry = Entry<'job'>

/** An attempt to deliver a result (section 6). */
export type DeliveryEntry = Entry<'delivery'>

export const JOURNAL_KINDS = ['request', 'job', 'delivery', 'note'] as const satisfies readonly JournalEntry['kind'][]

/** One thing that happened on the server. */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | Entry<'note'>

/** An entry and its place among all of the server. */
export interface JournalRecord {
  readonly entry: JournalEntry
  /** Place of its start: other events may have happened before its end. */
  readonly startPlace: number
  readonly endPlace: number
  /** The whole body of a request, with what is left out of its entry. */
  readonly body?: string | undefined
  /** About what it takes in memory. */
  readonly bytes: number
}

/** The creation of a job. */
export function jobCreation(job: Job): JobEntry {
  return entryOf(job, { at: job.createdAt, to: job.processingAt > job.createdAt ? 'queued' : 'processing' })
}

/** The start of a job that was queued, if it has left the queue by `now`: no timer reports it. */
export function jobStart(job: Job, now: number): JobEntry[] {
  const { createdAt, processingAt } = job
  const hasLeft = createdAt < processingAt && processingAt <= now
  return hasLeft ? [entryOf(job, { at: processingAt, from: 'queued', to: 'processing' })] : []
}

/** The end of a job. */
export function jobEnding(job: Job, { at, status, error, isCharged }: JobEnd): JobEntry {
  const from = at < job.processingAt ? 'queued' : 'processing'
  return { ...entryOf(job, { at, from, to: status }), code: error?.code, ...(isCharged ? { isCharged } : {}) }
}

function entryOf({ id, account, model }: Job, change: Pick<JobEntry, 'at' | 'from' | 'to'>): JobEntry {
  const credits = model.pricing.credits_per_run
  return { kind: 'job', ...change, key: account.name, job_id: id, model_id: model.id, credits }
}
