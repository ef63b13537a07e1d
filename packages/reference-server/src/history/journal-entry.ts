import type { KnownJobStatus } from '@modelrun/contract'
import type { DeliveryRecord } from '../domain/delivery.ts'
import type { Job, JobEnd } from '../domain/job.ts'

interface EntryBase {
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** The tenant: the start of its API key, `sk_test_ab12…`. Missing when the request had no key. */
  readonly key?: string | undefined
}

/** Name, in lower case, and value of a header. */
export type Header = readonly [name: string, value: string]

/** A request and its response. Texts are cut at 2,048 bytes; API keys, and queries of webhook URLs, are left out. */
export interface RequestEntry extends EntryBase {
  /** Distinguishes the kinds of entry. */
  readonly kind: 'request'
  /** Time to the response on the server's clock, in milliseconds. */
  readonly durationMs: number
  /** HTTP method. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Name of the endpoint in `ROUTES`, `file`, `control`, or nothing when no route matched. */
  readonly route?: string | undefined
  /** HTTP status; missing when the connection was broken instead. */
  readonly status?: number | undefined
  /** The job's status in the response: section 3, or `completed`. */
  readonly jobStatus?: string | undefined
  /** Error code of an error response (section 7). */
  readonly code?: string | undefined
  /** Identifier of the job that the request was about, when there was one. */
  readonly job_id?: string | undefined
  /** Body of the request as text; missing when it had none. */
  readonly requestBody?: string | undefined
  /** Body of the response as text; missing when it had none. */
  readonly responseBody?: string | undefined
  /** Headers of the request, without secrets. Only where the server shows a dashboard. */
  readonly requestHeaders?: readonly Header[] | undefined
  /** Headers of the response. Only where the server shows a dashboard. */
  readonly responseHeaders?: readonly Header[] | undefined
  /** The fault that was injected. */
  readonly fault?: string | undefined
}

/** A job that was created, or whose status changed (section 3). */
export interface JobEntry extends EntryBase {
  /** Distinguishes the kinds of entry. */
  readonly kind: 'job'
  /** Identifier of the job. */
  readonly job_id: string
  /** Id of the model that was run. */
  readonly model_id: string
  /** Missing when the job was created. */
  readonly from?: KnownJobStatus | undefined
  /** Status from then on. */
  readonly to: KnownJobStatus
  /** Price of the run: reserved when it is created, charged when it succeeds, given back when it ends otherwise. */
  readonly credits: number
  /** Error code of a job that failed. */
  readonly code?: string | undefined
  /** Of a job that failed and is charged all the same: the assumption `creditsOfFailedRun`. */
  readonly isCharged?: boolean | undefined
}

/** An attempt to deliver a result (section 6). `url` and texts are without secrets. */
export interface DeliveryEntry extends EntryBase, Omit<DeliveryRecord, 'attemptedAt' | 'finishedAt' | 'body'> {
  /** Distinguishes the kinds of entry. */
  readonly kind: 'delivery'
  /** Time to the receiver's response on the server's clock, in milliseconds. */
  readonly durationMs: number
  /** What was sent, as text. */
  readonly requestBody: string
}

/** A warning. */
interface NoteEntry extends EntryBase {
  /** Distinguishes the kinds of entry. */
  readonly kind: 'note'
  /** The warning, for people. */
  readonly text: string
}

export const JOURNAL_KINDS = ['request', 'job', 'delivery', 'note'] as const satisfies readonly JournalEntry['kind'][]

/** One thing that happened on the server. */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | NoteEntry

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

export function jobIdOf(entry: JournalEntry): string | undefined {
  return entry.kind === 'note' ? undefined : entry.job_id
}

export interface JobHistory {
  jobId: string
  /** All of the job's tenant, in the order in which they ended. */
  records: readonly JournalRecord[]
  /** The job as it stands; `undefined` when it was forgotten. */
  job: Job | undefined
  /** The time now, in milliseconds since 1970. */
  now: number
}

/**
 * The records of a job in the order in which they started. The journal gets the start of one with its end, because no timer
 * reports it: it is among them before.
 */
export function recordsOfJob({ jobId, records, job, now }: JobHistory): JournalRecord[] {
  const starts = job === undefined || job.end !== undefined ? [] : jobStart(job, now)
  const own = records.filter(({ entry }) => jobIdOf(entry) === jobId)
  const all = [...own, ...starts.map((entry) => ({ entry, startPlace: 0, endPlace: 0, bytes: 0 }))]
  return all.sort((one, other) => one.entry.at - other.entry.at || one.startPlace - other.startPlace)
}

export function jobCreation(job: Job): JobEntry {
  return entryOf(job, { at: job.createdAt, to: job.processingAt > job.createdAt ? 'queued' : 'processing' })
}

/** The start of a job that was queued, if it has left the queue by `now`: no timer reports it. */
export function jobStart(job: Job, now: number): JobEntry[] {
  const { createdAt, processingAt } = job
  const hasLeft = createdAt < processingAt && processingAt <= now
  return hasLeft ? [entryOf(job, { at: processingAt, from: 'queued', to: 'processing' })] : []
}

export function jobEnding(job: Job, { at, status, error, isCharged }: JobEnd): JobEntry {
  const from = at < job.processingAt ? 'queued' : 'processing'
  return { ...entryOf(job, { at, from, to: status }), code: error?.code, ...(isCharged ? { isCharged } : {}) }
}

function entryOf({ id, account, model }: Job, change: Pick<JobEntry, 'at' | 'from' | 'to'>): JobEntry {
  const credits = model.pricing.credits_per_run
  return { kind: 'job', ...change, key: account.name, job_id: id, model_id: model.id, credits }
}
