import type { TaskRecord, TaskState } from './engine.ts'
import type { LockedTask } from './task-table.ts'

/** A row of `modelrun_tasks`. */
type Row = Readonly<Record<string, unknown>>

/** A task that was just locked. */
export function toLockedTask(row: Row): LockedTask {
  return {
    id: String(row.id),
    data: JSON.parse(String(row.data)),
    attempts: Number(row.attempts),
    lost: Number(row.lost),
    fence: Number(row.fence),
  }
}

/** A task as it is kept. */
export function toRecord(row: Row): TaskRecord {
  return {
    id: String(row.id),
    state: String(row.state) as TaskState, // what the statements write
    data: JSON.parse(String(row.data)),
    result: row.result === null ? undefined : JSON.parse(String(row.result)),
    error: row.error === null ? undefined : JSON.parse(String(row.error)),
    addedAt: Math.floor(Number(row.added_at)),
    endedAt: row.ended_at === null ? undefined : Math.floor(Number(row.ended_at)),
    cursor: String(row.seq),
  }
}
