import { POISON_AFTER, PROCESS_DIED, SUSPECT_AFTER, type TaskEnd } from '@modelrun/kit'
import type { Job, Worker } from 'bullmq'
import type { TaskFailure, TaskRecord, TaskState } from '../engine/engine.ts'

/** BullMQ rejects ids that are integers or contain a colon. The dot keeps them apart from its own keys. */
export function toJobId(id: string): string {
  return `.${encodeURIComponent(id)}`
}

export function fromJobId(jobId: string): string {
  return decodeURIComponent(jobId.slice(1))
}

export function isJobId(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('.')
}

/** A task as the scripts return it: id, state, place, data, result, failure, time of the add, time of the end. */
export type Row = readonly [string, TaskState, string, string, string | null, string | null, string, string | null]

export function toRecord([jobId, state, cursor, data, result, failure, addedAt, endedAt]: Row): TaskRecord {
  return {
    id: fromJobId(jobId),
    state,
    data: JSON.parse(data),
    // BullMQ stores `undefined` and `null` as the same text.
    result: result === null || result === 'null' ? undefined : JSON.parse(result),
    error: failure === null ? undefined : toFailure(failure),
    addedAt: Number(addedAt),
    endedAt: endedAt === null ? undefined : Number(endedAt),
    cursor,
  }
}

function toFailure(text: string): TaskFailure {
  try {
    return JSON.parse(text)
  } catch {
    // Another tool for BullMQ made the job fail.
    return { code: 'error', message: text }
  }
}

/** A job that this process has fetched, and so locked. */
export interface FetchedJob {
  job: Job
  token: string
  worker: Worker
}

/** What is known of it once it was to be marked as started. */
export interface HeldJob extends FetchedJob {
  /** How often a process died, or lost its lock, while its handler ran. */
  lost: number
  /** Failed attempts when it was locked: ending the job counts another one. */
  attempts: number
}

/** Locks up to `most` jobs. Asks for the first one alone, because the queue is often empty. */
export async function fetchJobs(worker: Worker, most: number): Promise<FetchedJob[]> {
  if (most === 0) return []
  const first = await fetchJob(worker)
  if (first === undefined) return []
  const more = await Promise.allSettled(Array.from({ length: most - 1 }, () => fetchJob(worker)))
  return [first, ...more.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))]
}

async function fetchJob(worker: Worker): Promise<FetchedJob | undefined> {
  // Each run has a token of its own, so that a late handler of this process cannot end a later run.
  const token = crypto.randomUUID()
  const job = await worker.getNextJob(token, { block: false })
  return job === undefined ? undefined : { job, token, worker }
}

/**
 * Sorts jobs that were just locked. Jobs that ended too many processes become dead. A suspect that must wait until it can run
 * alone goes back to the front of the queue, and so do other jobs while a suspect runs alone.
 */
export async function sortJobs(
  fetched: readonly HeldJob[],
  alone: boolean,
): Promise<{ runnable: HeldJob[]; hasSuspect: boolean; died: HeldJob[] }> {
  const poison = fetched.filter(({ lost }) => lost >= POISON_AFTER)
  const healthy = fetched.filter((held) => !poison.includes(held))
  const isRunnable = ({ lost }: HeldJob) => lost >= SUSPECT_AFTER === alone
  const others = healthy.filter((held) => !isRunnable(held))
  const [ends] = await Promise.all([
    Promise.allSettled(poison.map((held) => endJob(held, { kind: 'dead', error: PROCESS_DIED }))),
    Promise.allSettled(others.map(({ job, token }) => job.moveToWait(token))),
  ])
  const died = poison.filter((_, index) => ends[index]?.status === 'fulfilled')
  return { runnable: healthy.filter(isRunnable), hasSuspect: !alone && others.length > 0, died }
}

export async function endJob({ job, token, worker }: FetchedJob, end: TaskEnd): Promise<unknown> {
  if (end.kind === 'done') return job.moveToCompleted(end.result && JSON.parse(end.result), token, false)
  // The engine counts the attempts: for BullMQ each failure is the last.
  if (end.kind === 'dead') return job.moveToFailed(new Error(JSON.stringify(end.error)), token, false)
  const options = { skipAttempt: end.kind === 'again' }
  return worker.getBackend().moveToDelayed(String(job.id), Date.now(), Math.ceil(end.delayMs), token, options)
}

/** Whether a change of BullMQ was made. A code below 0 means that the job is gone, not locked, or in another state. */
export async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (Number(Object(error).code) < 0) return false
    throw error
  }
}
