// What the control API of the reference server sends, as far as the page reads it: `control-openapi.json` has it all.

export type JobStatus = 'queued' | 'processing' | 'succeeded' | 'failed' | 'cancelled'

export interface JobRow {
  job_id: string
  model_id: string
  key: string
  status: JobStatus
  credits: number
  charged: number
  created_at_ms: number
  processing_at_ms: number
  ended_at_ms?: number
  /** When time alone ends the job. */
  ends_at_ms?: number
  code?: string
  message?: string
  /** The start of its first text parameter. */
  text?: string
  webhook_url?: string
}

type HeaderList = readonly (readonly [name: string, value: string])[]

interface EntryBase {
  at_ms: number
  place: number
  key?: string
  job_id?: string
}

export interface RequestEntry extends EntryBase {
  kind: 'request'
  method: string
  path: string
  route?: string
  status?: number
  job_status?: string
  code?: string
  request_body?: string
  response_body?: string
  request_headers?: HeaderList
  response_headers?: HeaderList
  hint?: string
  fault?: string
  duration_ms: number
}

interface JobEntry extends EntryBase {
  kind: 'job'
  job_id: string
  model_id: string
  from?: JobStatus
  to: JobStatus
  credits: number
  code?: string
  is_charged?: boolean
}

export interface DeliveryEntry extends EntryBase {
  kind: 'delivery'
  job_id: string
  url: string
  outcome: 'delivered' | 'rejected' | 'timeout' | 'network_error'
  status?: number
  reason?: string
  duration_ms: number
}

export interface NoteEntry extends EntryBase {
  kind: 'note'
  text: string
}

export type Entry = RequestEntry | JobEntry | DeliveryEntry | NoteEntry

interface Places {
  end_place: number
}

export type RequestExchange = RequestEntry & Places & { attempt: number }
export type StateExchange = JobEntry & Places
export type DeliveryExchange = DeliveryEntry & Places & { attempt: number } & Receipt

/** What was delivered, and the response of the receiver. */
interface Receipt {
  body?: unknown
  response_headers?: HeaderList
  response_body?: string
}

export type Exchange = RequestExchange | StateExchange | DeliveryExchange

/** The life of a job: what `GET /_reference/jobs/{id}/exchanges` of the reference server gives. */
export interface Life {
  /** Time of the server: milliseconds since 1970. */
  now_ms: number
  /** The job as it is now. */
  job: JobRow
  /** The parameters of its run. */
  input: Record<string, unknown>
  /** What happened, in the order in which it started. */
  exchanges: Exchange[]
}

export interface ClockState {
  mode: 'system' | 'scaled' | 'manual' | 'auto'
  now_ms: number
  /** How many times as fast as real time; missing where time does not pass by itself. */
  scale?: number
}

/** A result on its way. */
export interface PendingDelivery {
  job_id: string
  url: string
  status: string
  sent: number
  deliveries: number
  due_at_ms?: number
  held: boolean
}

export interface Changes {
  now_ms: number
  reset: boolean
  jobs: JobRow[]
  entries: Entry[]
  clock: Partial<ClockState> & Pick<ClockState, 'mode'>
  pending: PendingDelivery[]
  keys: ApiKey[]
}

export interface ApiKey {
  key: string
  live: boolean
  permissions: string[]
  allow_ips?: string[]
  revoked: boolean
  credits: { left: number; available: number }
  faults: AddedFault[]
  webhook?: DeliveryPlan
}

/** How results are delivered. */
export interface DeliveryPlan {
  deliveries?: number
  delay_ms?: number
  gap_ms?: number
  when?: 'after-poll' | 'after-next'
  receiver?: { response?: number | 'reset'; after_ms?: number }
}

/** Something that was done to the server. */
export interface Action {
  at_ms: number
  call: string
  key?: string
  job_id?: string
  body?: unknown
  made?: string
  path?: string
  status?: number
  job_status?: string
}

export interface Fault {
  kind: string
  route?: string
  model?: string
  times?: number
  probability?: number
  when?: 'before' | 'after'
  delay_ms?: number
  retry_after?: number
}

export interface AddedFault {
  id: string
  fault: Fault
  used: number
  unused: boolean
}

export interface OutputItem {
  type: string
  url: string
}

export interface JobDetail {
  job_id: string
  input: Record<string, unknown>
  status: JobStatus
  output?: { type: string; items: OutputItem[] }
}

export interface Property {
  type?: string
  description?: string
  enum?: readonly unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
}

export interface Model {
  id: string
  name: string
  description: string
  category: string
  provider: string
  status: string
  pricing: { credits_per_run: number }
  input_schema?: { type: string; properties: Record<string, Property>; required?: readonly string[] }
}
