import type { LockedTask, TaskEnd } from '@modelrun/kit'
import type { TaskRecord, TaskState } from './engine.ts'

/** A row of `modelrun_tasks`, as the engines on SQL read it. */
type Row = Readonly<Record<string, unknown>>

/** Parses the row of a task that was just locked. */
export function toLockedTask(row: Row): LockedTask {
  return {
    id: String(row.id),
    data: JSON.parse(String(row.data)),
    attempts: Number(row.attempts),
    lost: Number(row.lost),
    fence: Number(row.fence),
  }
}

/** Parses the row of a stored task. */
export function toRecord(row: Row): TaskRecord {
  return {
    id: String(row.id),
    state: String(row.state) as TaskState, // what the statements write
    data: JSON.parse(String(row.data)),
    result: row.result === null ? undefined : JSON.parse(String(row.result)),
    error: row.error === null ? undefined : JSON.parse(String(row.error)),
    addedAt: Math.floor(Number(row.added_at)),
    startedAt: row.started_at === null ? undefined : Math.floor(Number(row.started_at)),
    endedAt: row.ended_at === null ? undefined : Math.floor(Number(row.ended_at)),
    cursor: String(row.seq),
  }
}

/** The columns of a task that is done or dead. */
export function toEndColumns(end: TaskEnd & { kind: 'done' | 'dead' }) {
  return {
    state: end.kind,
    result: end.kind === 'done' ? (end.result ?? null) : null,
    error: end.kind === 'dead' ? JSON.stringify(end.error) : null,
  }
}
