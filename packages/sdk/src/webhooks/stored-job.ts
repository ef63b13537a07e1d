import { failedDeliverySchema, outputSchema } from '@modelrun/contract'
import type { TaskRecord } from '@modelrun/kit'
import * as z from 'zod/mini'
import { parseByStatus } from '../client/http/read-response.ts'
import type { WebhookEvent } from './webhook-event.ts'

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
  isExpected?: true | undefined
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
  isConfirmed?: true | undefined
  /** When the job was first heard of: milliseconds since 1970, by the clock of the process. */
  notedAt: number
}

/** Data of the task of a run that has a callback URL. Its id is the reference in the URL. */
export interface StoredRun {
  modelId?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** True for a run that is about to be sent: without a job, it is reported to `onUnconfirmedRun`. */
  isPrepared?: true | undefined
  /** Task id of the job that the URL belongs to. */
  key?: string | undefined
  notedAt: number
}

// Uses only the parts of zod that the client uses, too.
const jobSchema = /* @__PURE__ */ (() =>
  z.object({
    isExpected: z.optional(z.literal(true)),
    modelId: z.optional(z.string()),
    context: z.optional(z.unknown()),
    ref: z.optional(z.string()),
    source: z.optional(z.literal(['webhook', 'poll'])),
    token: z.optional(z.literal(['none', 'genuine', 'expired'])),
    event: z.optional(z.unknown()),
    isConfirmed: z.optional(z.literal(true)),
    notedAt: z.optional(z.number()),
    // Version 0.1.0 stored the time of a delivery instead.
    receivedAt: z.optional(z.number()),
  }))()

const runSchema = /* @__PURE__ */ (() =>
  z.object({
    modelId: z.optional(z.string()),
    context: z.optional(z.unknown()),
    isPrepared: z.optional(z.literal(true)),
    key: z.optional(z.string()),
    notedAt: z.number(),
  }))()

const resultSchema = /* @__PURE__ */ (() =>
  z.object({ isDropped: z.optional(z.literal(true)), event: z.optional(z.unknown()) }))()

const succeededSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('succeeded'),
    output: outputSchema,
    credits_used: z.optional(z.number()),
    completed_at: z.optional(z.string()),
  }))()

const unknownSchema = /* @__PURE__ */ (() =>
  z.object({
    job_id: z.string(),
    status: z.literal('unknown'),
    reported_status: z.optional(z.string()),
    payload: z.looseObject({}),
  }))()

const EVENTS_BY_STATUS = { succeeded: succeededSchema, failed: failedDeliverySchema }

/** Parses the data of the task of a job, also of version 0.1.0. Returns undefined when it cannot be read. */
export function readStoredJob(value: unknown): StoredJob | undefined {
  const { data } = z.safeParse(jobSchema, value)
  if (data === undefined) return undefined
  const { receivedAt, notedAt = receivedAt, event, ...rest } = data
  if (notedAt === undefined) return undefined
  if (event === undefined) return { ...rest, notedAt }
  // The payload of an unknown event may be wider than any response of the service.
  const readable = z.safeParse(unknownSchema, event).data ?? parseByStatus<WebhookEvent>(EVENTS_BY_STATUS, event)
  return readable && { ...rest, event: readable, notedAt }
}

/** Parses the data of the task of a run. Returns undefined when it cannot be read. */
export function readStoredRun(value: unknown): StoredRun | undefined {
  return z.safeParse(runSchema, value).data
}

/** Whether the delivery of a task was dropped. Then its job has no result yet. */
export function isDropped({ result }: TaskRecord): boolean {
  return z.safeParse(resultSchema, result).data?.isDropped === true
}

/** Whether the job of a task was given up: it is dead, and its end is not known. */
export function isLost({ state, data }: TaskRecord): boolean {
  return state === 'dead' && readStoredJob(data)?.event === undefined
}

/** The event of a task that has ended. Undefined for a delivery that was dropped, and while the task has not ended. */
export function endOfTask(task: TaskRecord): WebhookEvent | undefined {
  const hasEnded = task.state === 'done' || task.state === 'dead'
  if (!hasEnded || isDropped(task)) return undefined
  const { data: result } = z.safeParse(resultSchema, task.result)
  return readStoredJob({ notedAt: 0, ...z.safeParse(jobSchema, task.data).data, ...result })?.event
}
