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
