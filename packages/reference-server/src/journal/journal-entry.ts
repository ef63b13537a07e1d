import type { KnownJobStatus } from '@modelrun/contract'
import type { DeliveryRecord } from '../webhooks/delivery-record.ts'

interface EntryBase {
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** The tenant: its API key, of which only the beginning is shown, `sk_test_ab12…`. Missing when none was sent. */
  readonly key?: string | undefined
}

/** A request and its answer. Texts are cut at 2,048 bytes; API keys, and queries of webhook addresses, are left out. */
export interface RequestEntry extends EntryBase {
  readonly kind: 'request'
  /** Time to the answer on the server's clock, in milliseconds. */
  readonly durationMs: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Name of the endpoint in `ROUTES`, `file`, `control`, or nothing when no route matched. */
  readonly route?: string | undefined
  /** HTTP status; missing when the connection was broken instead. */
  readonly status?: number | undefined
  /** The job's status as the answer told it: section 3, or `completed`. */
  readonly jobStatus?: string | undefined
  /** Error code of a refusal (section 7). */
  readonly code?: string | undefined
  readonly job_id?: string | undefined
  readonly requestBody?: string | undefined
  readonly responseBody?: string | undefined
  /** What the header `x-modelrun-hint` said. */
  readonly hint?: string | undefined
  /** The fault that was injected. */
  readonly fault?: string | undefined
}

/** A job that was created, or whose status changed (section 3). */
export interface JobEntry extends EntryBase {
  readonly kind: 'job'
  readonly job_id: string
  readonly model_id: string
  /** Missing when the job was created. */
  readonly from?: KnownJobStatus | undefined
  readonly to: KnownJobStatus
  /** Price of the run: reserved when it is created, charged when it succeeds, given back when it ends otherwise. */
  readonly credits: number
  /** Error code of a job that failed. */
  readonly code?: string | undefined
}

/** An attempt to deliver a result (section 6). */
export interface DeliveryEntry extends EntryBase, Pick<DeliveryRecord, 'job_id' | 'url' | 'outcome'> {
  readonly kind: 'delivery'
  /** Time to the receiver's answer on the server's clock, in milliseconds. */
  readonly durationMs: number
  readonly status?: number | undefined
  readonly reason?: string | undefined
}

/** A warning, or a rule of the service that was broken. */
export interface NoteEntry extends EntryBase {
  readonly kind: 'note'
  readonly text: string
}

export const JOURNAL_KINDS = ['request', 'job', 'delivery', 'note'] as const satisfies readonly JournalEntry['kind'][]

/** One thing that happened on the server. */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | NoteEntry
