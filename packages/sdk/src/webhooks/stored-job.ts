import {
  type Check,
  flag,
  isRecord,
  isText,
  memberOf,
  needs,
  notNegative,
  oneOf,
  type TaskRecord,
  text,
  unchecked,
} from '@modelrun/kit'
import { readResult } from './parse-webhook.ts'
import type { UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** Longer unknown statuses are cut: those that start with the same characters share a task. */
const MAX_STATUS_LENGTH = 50

/** Task id of a job: the job id, with `%`, `:` and `?` escaped. */
export function jobKey(jobId: string): string {
  return jobId.replace(/[%:?]/g, encodeURIComponent)
}

/**
 * Task id of an event. Success and failure have the task of their job, so that a job has one result. An event of unknown status
 * has a task of its own, so that it does not hide the result that follows.
 */
export function eventKey(event: WebhookEvent): string {
  const key = jobKey(event.job_id)
  if (event.status !== 'unknown') return key
  const status = Array.from(event.reported_status ?? '').slice(0, MAX_STATUS_LENGTH)
  return `${key}?${jobKey(status.join(''))}`
}

/** Job id of a task id. */
export function jobIdOfKey(key: string): string {
  const [id = ''] = key.split('?')
  return id.replace(/%(25|3A|3F)/g, decodeURIComponent)
}

/** Data of the task of a job: what `expect` got of its run, and what a delivery said. */
export interface StoredJob {
  /** True when `expect` has named the job: its result must not be lost. */
  isExpected?: boolean | undefined
  modelId?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** The reference in the callback URL of the job. */
  ref?: string | undefined
  /** Where `event` comes from. `poll`: the service says so. */
  source?: 'webhook' | 'poll' | undefined
  /** The token in the callback URL of the delivery. `expired`: the token is genuine and too old. */
  token?: 'none' | 'genuine' | 'expired' | undefined
  /** The event of the first delivery. Without a client it is the result, else the service is asked. */
  event?: WebhookEvent | undefined
  /** True when the service has confirmed the event of a delivery. */
  isConfirmed?: boolean | undefined
  /** When the job was first heard of: milliseconds since 1970, by the clock of the process. */
  notedAt: number
}

/** Data of the task of a run that has a callback URL. Its id is the reference in the URL. */
export interface StoredRun {
  modelId?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** True for a run that is about to be sent: without a job, it is reported to `onUnconfirmedRun`. */
  isPrepared?: boolean | undefined
  /** Task id of the job that the URL belongs to. */
  key?: string | undefined
  notedAt: number
}

type Fields<Data> = { [Name in keyof Required<Data>]: Check }

const JOB = /* @__PURE__ */ ((): Fields<StoredJob> & { receivedAt: Check } => ({
  isExpected: flag,
  modelId: text,
  context: unchecked,
  ref: text,
  source: oneOf('webhook', 'poll'),
  token: oneOf('none', 'genuine', 'expired'),
  event: unchecked,
  isConfirmed: flag,
  notedAt: notNegative,
  // Version 0.1.0 stored the time of a delivery instead.
  receivedAt: notNegative,
}))()

const RUN = /* @__PURE__ */ ((): Fields<StoredRun> => ({
  modelId: text,
  context: unchecked,
  isPrepared: flag,
  key: text,
  notedAt: needs('a time', Number.isFinite),
}))()

/** Whether the data of a task has the fields of its kind, each of the right type. */
function fits<Data>(data: unknown, fields: Readonly<Record<keyof Data & string, Check>>): data is Data {
  return isRecord(data) && Object.entries<Check>(fields).every(([name, check]) => check(data[name]) === undefined)
}

/** Parses the data of the task of a job, also of version 0.1.0. Returns undefined when it cannot be read. */
export function readStoredJob(data: unknown): StoredJob | undefined {
  if (!fits<Partial<StoredJob> & { receivedAt?: number }>(data, JOB)) return undefined
  const { receivedAt, notedAt = receivedAt, event, ...rest } = data
  if (notedAt === undefined) return undefined
  if (event === undefined) return { ...rest, notedAt }
  const readable = readStoredEvent(event)
  return readable && { ...rest, event: readable, notedAt }
}

const UNKNOWN = /* @__PURE__ */ ((): Fields<UnknownEvent> => ({
  status: needs('unknown', (status) => status === 'unknown'),
  job_id: needs('a string', isText),
  reported_status: text,
  payload: needs('an object', isRecord),
}))()

function readStoredEvent(event: unknown): WebhookEvent | undefined {
  if (fits<UnknownEvent>(event, UNKNOWN)) return event
  return isRecord(event) ? readResult(event) : undefined
}

/** Parses the data of the task of a run. Returns undefined when it cannot be read. */
export function readStoredRun(data: unknown): StoredRun | undefined {
  return fits<StoredRun>(data, RUN) ? data : undefined
}

/** Whether the delivery of a task was dropped. Then its job has no result yet. */
export function isDropped({ result }: TaskRecord): boolean {
  return memberOf(result, 'isDropped') === true
}

/** Whether the job of a task was given up: it is dead, and its end is not known. */
export function isLost({ state, data }: TaskRecord): boolean {
  return state === 'dead' && readStoredJob(data)?.event === undefined
}

/** The event of a task that has ended. Undefined for a delivery that was dropped, and while the task has not ended. */
export function endOfTask(task: TaskRecord): WebhookEvent | undefined {
  const hasEnded = task.state === 'done' || task.state === 'dead'
  if (!hasEnded || isDropped(task)) return undefined
  return readStoredEvent(memberOf(task.result, 'event') ?? memberOf(task.data, 'event'))
}
