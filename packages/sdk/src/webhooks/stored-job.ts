import {
  type Check,
  defined,
  flag,
  isRecord,
  memberOf,
  notNegative,
  oneOf,
  stableJson,
  stringIn,
  type TaskRecord,
  text,
  unchecked,
} from '@modelrun/kit'
import { isEnded } from '../client/jobs/job-operations.ts'
import { readResult } from './parse-webhook.ts'
import type { InboxQueues } from './queues.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Task id of a job: the job id, with `%`, `:` and `?` escaped. */
export function jobKey(jobId: string): string {
  return jobId.replace(/[%:?]/g, encodeURIComponent)
}

/** Job id of a task id. In version 0.1.0, an event of unknown status had a task of its own, with the status after a `?`. */
export function jobIdOfKey(key: string): string {
  const [id = ''] = key.split('?')
  return id.replace(/%(25|3A|3F)/g, decodeURIComponent)
}

/** Whether the event ends its job. Another event follows a status that section 3 does not list. */
export function endsJob(event: WebhookEvent): boolean {
  return event.status !== 'unknown' || isEnded({ status: event.reported_status ?? '' })
}

/** Data of the task of a job: what `expect` was given for its run, and what a delivery said. */
export interface StoredJob {
  /** True when `expect` has named the job: its result must not be lost. */
  isExpected?: boolean | undefined
  /** The user's own JSON. */
  context?: unknown
  /** The reference in the callback URL of the job. */
  ref?: string | undefined
  /** Where `event` comes from. `poll`: the service says so. */
  source?: 'webhook' | 'poll' | undefined
  /** The token in the callback URL of the delivery. `expired`: the token is genuine and too old. */
  token?: 'none' | 'genuine' | 'expired' | undefined
  /** The event of the first delivery that ends the job, else of the last one. Without a client it is the result. */
  event?: WebhookEvent | undefined
  /** The last status whose event was handled, and that did not end the job. */
  handledStatus?: string | undefined
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

type StoredData = Partial<StoredJob & StoredRun> & { receivedAt?: number }

/** The fields of both kinds of data. Others are ignored. */
const FIELDS = /* @__PURE__ */ ((): { [Name in keyof Required<StoredData>]: Check } => ({
  isExpected: flag,
  context: unchecked,
  ref: text,
  source: oneOf('webhook', 'poll'),
  token: oneOf('none', 'genuine', 'expired'),
  event: unchecked,
  handledStatus: text,
  modelId: text,
  isPrepared: flag,
  key: text,
  notedAt: notNegative,
  // Version 0.1.0 stored the time of a delivery instead.
  receivedAt: notNegative,
}))()

function isStored(data: unknown): data is StoredData {
  return isRecord(data) && Object.entries(FIELDS).every(([name, check]) => check(data[name]) === undefined)
}

/** Parses the data of the task of a job, also of version 0.1.0. Returns undefined when it cannot be read. */
export function readStoredJob(data: unknown): StoredJob | undefined {
  if (!isStored(data)) return undefined
  const { receivedAt, notedAt = receivedAt, event, ...rest } = data
  if (notedAt === undefined) return undefined
  if (event === undefined) return { ...rest, notedAt }
  const readable = readStoredEvent(event)
  return readable && { ...rest, event: readable, notedAt }
}

export function readStoredRun(data: unknown): StoredRun | undefined {
  return isStored(data) && data.notedAt !== undefined ? { ...data, notedAt: data.notedAt } : undefined
}

export async function readRun({ runs }: InboxQueues, ref: string): Promise<StoredRun | undefined> {
  return readStoredRun((await runs.get(ref))?.data)
}

/**
 * What the run of a job was given as context. A delivery can come before the response to its run: then the reference in its
 * callback URL finds the prepared run.
 */
export async function contextOf(queues: InboxQueues, key: string, job: StoredJob | undefined): Promise<unknown> {
  if (job?.isExpected || job?.context !== undefined || job?.ref === undefined) return job?.context
  const run = await readRun(queues, job.ref)
  return run?.key === undefined || run.key === key ? run?.context : undefined
}

function readStoredEvent(event: unknown): WebhookEvent | undefined {
  if (!isRecord(event)) return undefined
  const { status, job_id, payload } = event
  if (status !== 'unknown') return readResult(event)
  if (typeof job_id !== 'string' || !isRecord(payload)) return undefined
  return defined({ status, job_id, reported_status: stringIn(event, 'reported_status'), payload })
}

/** Whether the delivery of a task was dropped. Then its job has no result yet. */
function isDropped({ result }: TaskRecord): boolean {
  return memberOf(result, 'isDropped') === true
}

/** Whether the job of a task was given up: it is dead, and its end is not known. */
export function isLost({ state, data }: TaskRecord): boolean {
  const event = readStoredJob(data)?.event
  return state === 'dead' && (event === undefined || !endsJob(event))
}

/** The event of a task that has ended. Undefined for a delivery that was dropped, and while the task has not ended. */
export function endOfTask(task: TaskRecord): WebhookEvent | undefined {
  const hasEnded = task.state === 'done' || task.state === 'dead'
  if (!hasEnded || isDropped(task)) return undefined
  return readStoredEvent(memberOf(task.result, 'event') ?? memberOf(task.data, 'event'))
}

export interface JobNews {
  /** Task id of the job. */
  key: string
  /**
   * Adds the news to the data of the job, which is undefined for a job without a task. Returns undefined when the data has the
   * news, or does not need them.
   */
  change(stored: StoredJob | undefined): StoredJob | undefined
  /** Milliseconds until a job without a task is due. Default 0. */
  delayMs?: number | undefined
  /** Whether the news are of a sender that anyone can be. Then a job that the service did not have stays dropped. */
  isUnverified?: boolean | undefined
}

/**
 * Stores what is new about a job: adds its task, or changes the task while the job has no result. A task that waits is due then.
 * Safe to repeat. Deliveries and `expect` change different members, and each reads what it wrote: neither overwrites the other.
 *
 * @param task the task of the job, as it was just read
 */
export async function putJob({ jobs }: InboxQueues, news: JobNews, task: TaskRecord | undefined): Promise<void> {
  const { key, change, delayMs, isUnverified } = news
  // Read again after each change: another process may have changed the job, too.
  for (let current = task; ; current = await jobs.get(key)) {
    if (current !== undefined && isDropped(current)) {
      if (isUnverified) return
      await jobs.remove(key)
      continue
    }
    const data = changed(current, change)
    if (data === undefined) return
    if (current === undefined) await jobs.add(key, data, delayMs)
    else await jobs.update(key, data)
    if (current !== undefined && isLost(current)) await jobs.replay(key)
  }
}

/** The data of a task with the news. Undefined when the job has its result, or its data cannot be read. */
function changed(task: TaskRecord | undefined, change: JobNews['change']): StoredJob | undefined {
  if (task === undefined) return change(undefined)
  const stored = readStoredJob(task.data)
  return task.state === 'done' || stored === undefined ? undefined : change(stored)
}

/** The news of a delivery. The first event that ends the job counts. */
export function heard(news: StoredJob): JobNews['change'] {
  return (stored) => {
    const known = stored?.event
    const isKnown = known !== undefined && (endsJob(known) || stableJson(known) === stableJson(news.event))
    if (isKnown || news.event === undefined) return undefined
    return { ...stored, ...news, ref: stored?.ref ?? news.ref, notedAt: stored?.notedAt ?? news.notedAt }
  }
}

export function expected(news: Omit<StoredJob, 'isExpected'>): JobNews['change'] {
  return (stored) => {
    if (stored?.isExpected) return undefined
    const { ref = stored?.ref } = news
    return { ...stored, ...news, ref, isExpected: true, notedAt: stored?.notedAt ?? news.notedAt }
  }
}

/** The news that the event of a status that does not end the job was handled. */
export function handled(status: string): JobNews['change'] {
  return (stored) => {
    if (stored === undefined || stored.handledStatus === status) return undefined
    return { ...stored, handledStatus: status }
  }
}
