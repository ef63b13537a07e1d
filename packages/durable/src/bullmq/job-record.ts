import type { TaskFailure, TaskRecord, TaskState } from '../engine/engine.ts'
import { fromJobId } from './job-id.ts'

/** What the scripts give of a task: id, state, place, data, result, failure, time of the add, time of the end. */
export type Row = readonly [string, TaskState, string, string, string | null, string | null, string, string | null]

export function toRecord([jobId, state, cursor, data, result, failure, addedAt, endedAt]: Row): TaskRecord {
  return {
    id: fromJobId(jobId),
    state,
    data: JSON.parse(data),
    // BullMQ keeps nothing and null alike.
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
    // It was failed by a tool for BullMQ.
    return { code: 'error', message: text }
  }
}
