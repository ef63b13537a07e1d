import { numberIn, type TaskRecord, type TaskState } from '@modelrun/kit'
import type { Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/** BullMQ rejects ids that are integers or contain a colon. The dot keeps them apart from its own keys. */
export function toJobId(id: string): string {
  return `.${encodeURIComponent(id)}`
}

export function fromJobId(jobId: string | undefined): string {
  return decodeURIComponent(String(jobId).slice(1))
}

/** A key of a queue: `done` and `dead` are the lists of ends, `seq` counts their positions, `pause` exists in a pause. */
export function queueKey({ opts, name }: Queue, what: TaskState | 'seq' | 'pause'): string {
  return `${opts.prefix}-lists:${name}:${what}`
}

/**
 * The hash of a job beside BullMQ: when it is `due`, its failed `attempts`, and for each run that was marked as started and did
 * not end, its fence with the time. With the time of the add: a removed job that is added again has notes of its own.
 */
export function notesKey({ prefix, queueName, timestamp, id }: Job): string {
  return `${prefix}-lists:${queueName}:task:${timestamp}:${id}`
}

/** What version 0.1.0 has stored in the hash of BullMQ: a run that was marked, and the number of those that were lost before. */
export function oldNotes({ queueQualifiedName, id }: Job) {
  return [`${queueQualifiedName}:${id}`, 'mr:started', 'mr:losses'] as const
}

/** @param fence that of a run that has just started, which is not lost */
export async function readNotes(redis: Redis, job: Job, fence?: number) {
  const [notes, [started, losses]] = await Promise.all([redis.hgetall(notesKey(job)), redis.hmget(...oldNotes(job))])
  const { attempts = job.attemptsMade, due = job.timestamp + (job.opts.delay ?? 0), ...marks } = notes
  const lost = Object.keys(marks).filter((one) => one !== String(fence)).length
  return {
    lost: lost + Number(losses) + (started == null ? 0 : 1),
    attempts: Number(attempts),
    dueAt: Number(due),
    startedAt: Object.values(marks).map(Number).sort().at(-1),
  }
}

/** First the state, then the job: a job that is not running in the first read was not locked then. */
export async function readJob(jobs: Queue, jobId: string): Promise<{ job: Job; state: TaskState } | undefined> {
  const state = await jobs.getJobState(jobId)
  const job: Job | undefined = await jobs.getJob(jobId)
  if (job === undefined) return undefined
  if (job.finishedOn != null) return { job, state: job.failedReason == null ? 'done' : 'dead' }
  return { job, state: state === 'active' ? 'running' : 'waiting' }
}

export async function toRecord(
  redis: Redis,
  { job, state, cursor }: Pick<TaskRecord, 'state' | 'cursor'> & { job: Job },
): Promise<TaskRecord> {
  const { startedAt } = await readNotes(redis, job)
  const base = { id: fromJobId(job.id), state, data: job.data, addedAt: job.timestamp, startedAt, cursor }
  if (state === 'waiting' || state === 'running') return base
  const ended = { ...base, endedAt: job.finishedOn }
  // BullMQ stores `undefined` and `null` as the same text.
  return state === 'done'
    ? { ...ended, result: job.returnvalue ?? undefined }
    : { ...ended, error: JSON.parse(job.failedReason) }
}

/** Whether a change of BullMQ was made. A code below 0 means that the job is gone, not locked, or in another state. */
export function isDone(change: Promise<unknown>): Promise<boolean> {
  const onError = (error: unknown) => {
    if ((numberIn(error, 'code') ?? 0) < 0) return false
    throw error
  }
  return change.then(() => true, onError)
}
