import { type LockedTask, numberIn, type TaskEnd } from '@modelrun/kit'
import type { Job, Queue, Worker } from 'bullmq'
import type { Json, TaskFailure, TaskRecord, TaskState } from '../engine/engine.ts'
import type { Notes } from './task-notes.ts'

/** BullMQ rejects ids that are integers or contain a colon. The dot keeps them apart from its own keys. */
export function toJobId(id: string): string {
  return `.${encodeURIComponent(id)}`
}

export function fromJobId(jobId: string | undefined): string {
  return decodeURIComponent(String(jobId).slice(1))
}

/** The state of a job. `state` was read before the job: what has ended since is in the job. */
export function stateOf(job: Job, state: string): TaskState {
  if (job.finishedOn != null) return job.failedReason == null ? 'done' : 'dead'
  return state === 'active' ? 'running' : 'waiting'
}

export function toRecord(job: Job, more: Pick<TaskRecord, 'state' | 'cursor'> & { notes: Notes }): TaskRecord {
  const { state, cursor, notes } = more
  const isEnded = state === 'done' || state === 'dead'
  return {
    id: fromJobId(job.id),
    state,
    data: job.data,
    // BullMQ stores `undefined` and `null` as the same text.
    result: state === 'done' ? (job.returnvalue ?? undefined) : undefined,
    error: state === 'dead' ? toFailure(String(job.failedReason)) : undefined,
    addedAt: job.timestamp,
    startedAt: notes.startedAt,
    endedAt: isEnded ? job.finishedOn : undefined,
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
export interface HeldJob extends Pick<Notes, 'lost' | 'attempts'> {
  job: Job
  token: string
  worker: Worker
  lockMs: number
}

/** Locks up to `most` jobs. Asks for the first one alone, because the queue is often empty. */
export async function fetchJobs(worker: Worker, most: number): Promise<Pick<HeldJob, 'job' | 'token'>[]> {
  if (most === 0) return []
  const first = await fetchJob(worker)
  if (first === undefined) return []
  const more = await Promise.allSettled(Array.from({ length: most - 1 }, () => fetchJob(worker)))
  return [first, ...more.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))]
}

async function fetchJob(worker: Worker): Promise<Pick<HeldJob, 'job' | 'token'> | undefined> {
  // Each run has a token of its own, so that a late handler of this process cannot end a later run.
  const token = crypto.randomUUID()
  const job = await worker.getNextJob(token, { block: false })
  return job === undefined ? undefined : { job, token }
}

export function toLockedTask({ job, attempts, lost }: HeldJob): LockedTask {
  return { id: fromJobId(job.id), data: job.data, attempts, lost, fence: job.attemptsStarted }
}

/** Ends or postpones a job. Resolves to whether its lock still held. */
export async function endJob({ job, token }: HeldJob, end: TaskEnd): Promise<boolean> {
  if (end.kind === 'done') return isDone(job.moveToCompleted(end.result && JSON.parse(end.result), token, false))
  // The engine counts the attempts: for BullMQ each failure is the last.
  if (end.kind === 'dead') return isDone(job.moveToFailed(new Error(JSON.stringify(end.error)), token, false))
  return isDone(job.moveToDelayed(Date.now() + Math.ceil(end.delayMs), token))
}

/** Whether a change of BullMQ was made. A code below 0 means that the job is gone, not locked, or in another state. */
export async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if ((numberIn(error, 'code') ?? 0) < 0) return false
    throw error
  }
}

/** Replaces the data of a job, and makes it due if it is delayed. Resolves to whether there is such a job. */
export async function updateJob(jobs: Queue, id: string, data: Json): Promise<boolean> {
  const job: Job | undefined = await jobs.getJob(toJobId(id))
  if (job === undefined || !(await isDone(job.updateData(data)))) return false
  await isDone(job.promote())
  return true
}

/** The key of a held job in this process. */
export function heldKey(queue: string, id: string): string {
  return JSON.stringify([queue, id])
}
