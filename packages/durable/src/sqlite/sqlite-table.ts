import {
  type LockedOne,
  type LockedTask,
  type LockedTasks,
  type LockOneRequest,
  type LockRequest,
  msUntilStart,
  type Spacing,
  startAfter,
  type TaskEnd,
  type TaskRecord,
  type TaskState,
} from '@modelrun/kit'
import { type DurableTable, partName, toEndColumns, toLockedTask, toRecord } from '../engine/table-engine.ts'
import type { Database, Row, Values } from './sqlite-database.ts'
import { SQL } from './sqlite-statements.ts'
import { migration, versionIn } from './sqlite-versions.ts'

/**
 * A task without a delay is due at once, also when the clock is set back: its due time is this much below the time at which it
 * was stored, and so below zero.
 */
const AT_ONCE_MS = 1e14

function dueAfter(delayMs: number, now: number): number {
  return delayMs > 0 ? now + Math.ceil(delayMs) : now - AT_ONCE_MS
}

/** The tasks in a SQLite database. */
export class SqliteTable implements DurableTable {
  readonly #database: Database
  #isDelayedFirst = false

  constructor(database: Database) {
    this.#database = database
  }

  async setup(): Promise<void> {
    await this.#database.transaction({ toDisk: true }, () => this.#database.exec(migration(versionIn(this.#database))))
  }

  async add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    await this.#database.transaction({ toDisk: true }, () => {
      const now = Date.now()
      this.#database.rows(SQL.add, { queue, id, data, now, dueAt: dueAfter(delayMs, now), seq: this.#nextSeq() })
    })
  }

  async lock(request: LockRequest): Promise<LockedTasks> {
    return this.#database.transaction({ toDisk: false }, () => this.#lock(request))
  }

  #lock({ queue, limit, lockMs, spacing }: LockRequest): LockedTasks {
    const now = Date.now()
    const { pausedMs, startMs, nextStart } = this.#queueState(queue, { now, spacing })
    const waitMs = Math.max(pausedMs, startMs)
    if (waitMs > 0) return { tasks: [], nextMs: waitMs }
    const tasks = this.#dueRows(queue, { now, limit }).map((row) => this.#lockRow(queue, row, now + lockMs))
    if (spacing === undefined || tasks.length === 0) return { tasks, nextMs: this.#msUntilNext(queue, now) }
    return { tasks, nextMs: this.#takeStart(queue, spacing, { now, nextStart }) }
  }

  /** Tasks with a delay and tasks without one come first in turns: no backlog of one kind stops the other. */
  #dueRows(queue: string, { now, limit }: { now: number; limit: number }): Row[] {
    this.#isDelayedFirst = !this.#isDelayedFirst
    const delayed = { from: 0, to: now }
    const atOnce = { from: -AT_ONCE_MS, to: -1 }
    const ranges = this.#isDelayedFirst ? [delayed, atOnce] : [atOnce, delayed]
    return ranges.flatMap((range) => this.#database.rows(SQL.due, { queue, limit, ...range })).slice(0, limit)
  }

  async lockOne(request: LockOneRequest): Promise<LockedOne> {
    return this.#database.transaction({ toDisk: false }, () => this.#lockOne(request))
  }

  #lockOne({ queue, id, lockMs, spacing, isEarly, ignoresPause }: LockOneRequest): LockedOne {
    const now = Date.now()
    const { pausedMs, startMs, nextStart } = this.#queueState(queue, { now, spacing })
    const [row] = this.#database.rows(SQL.one, { queue, id })
    if (row === undefined) return { task: undefined, isRunning: false, waitMs: 0 }
    const isRunning = row.state === 'running'
    const dueMs = isEarly && !isRunning ? 0 : Number(row.due_at) - now
    const waitMs = Math.max(startMs, dueMs, ignoresPause ? 0 : pausedMs)
    if (waitMs > 0) return { task: undefined, isRunning: isRunning && dueMs > 0, waitMs }
    if (spacing !== undefined) this.#takeStart(queue, spacing, { now, nextStart })
    return { task: this.#lockRow(queue, row, now + lockMs) }
  }

  /** @returns milliseconds until the next start */
  #takeStart(queue: string, spacing: Spacing, last: { now: number; nextStart: number }): number {
    const nextStart = startAfter(spacing, last)
    this.#database.rows(SQL.setNextStart, { queue, value: nextStart })
    return msUntilStart(spacing, { now: last.now, nextStart })
  }

  #msUntilNext(queue: string, now: number): number | undefined {
    const [row] = this.#database.rows(SQL.nextDue, { queue, now })
    return row?.due_at == null ? undefined : Number(row.due_at) - now
  }

  #queueState(queue: string, { now, spacing }: { now: number; spacing: Spacing | undefined }) {
    const [row] = this.#database.rows(SQL.queue, { queue })
    const nextStart = Number(row?.next_start ?? 0)
    const startMs = spacing === undefined ? 0 : msUntilStart(spacing, { now, nextStart })
    return { pausedMs: Number(row?.paused_until ?? 0) - now, startMs, nextStart }
  }

  #lockRow(queue: string, row: Row, dueAt: number): LockedTask {
    const task = toLockedTask(row)
    this.#database.rows(SQL.lock, { queue, id: task.id, lost: task.lost, dueAt })
    return { ...task, fence: task.fence + 1 }
  }

  async nextDue(queues: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const now = Date.now()
    const found = queues.flatMap((queue) => {
      const [row] = this.#database.rows(SQL.firstDue, { queue })
      if (row?.due_at == null) return []
      const { pausedMs } = this.#queueState(queue, { now, spacing: undefined })
      return [[queue, Math.max(Number(row.due_at) - now, pausedMs)] as const]
    })
    return new Map(found)
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const dueAt = Date.now() + lockMs
    return this.#database.transaction({ toDisk: false }, () => {
      const kept = [...fences].filter(([id, fence]) => this.#isDone(SQL.renew, { queue, id, fence, dueAt }))
      return new Set(kept.map(([id]) => id))
    })
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    return this.#database.transaction({ toDisk: false }, () => this.#endRow(queue, { id, fence }, end))
  }

  async markStarted(queue: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    // To the disk: after a power failure, a lost mark would let a run be sent and paid twice.
    return this.#database.transaction({ toDisk: true }, () => {
      const now = Date.now()
      const marked = [...fences].filter(([id, fence]) => this.#isDone(SQL.markStarted, { queue, id, fence, now }))
      return new Set(marked.map(([id]) => id))
    })
  }

  #endRow(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): boolean {
    const now = Date.now()
    if (end.kind === 'done' || end.kind === 'dead') {
      return this.#isDone(SQL.end, { queue, id, fence, ...toEndColumns(end), now, seq: this.#nextSeq() })
    }
    const dueAt = dueAfter(end.delayMs, now)
    if (end.kind === 'again' && end.pausesQueue) this.#database.rows(SQL.pause, { queue, value: dueAt })
    return this.#isDone(SQL.postpone, { queue, id, fence, dueAt, failed: end.kind === 'failed' ? 1 : 0 })
  }

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return (await this.#database.read(SQL.get, { queue, id })).map(toRecord)[0]
  }

  async list(
    queue: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number; after?: string | undefined },
  ): Promise<TaskRecord[]> {
    return (await this.#database.read(SQL.list, { queue, state, limit, after: Number(after) })).map(toRecord)
  }

  async count(queue: string): Promise<Record<TaskState, number>> {
    const rows = await this.#database.read(SQL.count, { queue })
    const counts = rows.map((row) => [row.state, Number(row.count)])
    return { waiting: 0, running: 0, done: 0, dead: 0, ...Object.fromEntries(counts) }
  }

  async pause(queue: string, ms: number): Promise<void> {
    const value = Date.now() + Math.ceil(ms)
    await this.#database.transaction({ toDisk: true }, () => this.#database.rows(SQL.pause, { queue, value }))
  }

  async resume(queue: string): Promise<void> {
    await this.#database.transaction({ toDisk: true }, () => this.#database.rows(SQL.resume, { queue }))
  }

  async isPaused(queue: string): Promise<boolean> {
    const [row] = await this.#database.read(SQL.queue, { queue })
    return Number(row?.paused_until ?? 0) > Date.now()
  }

  async msUntilDue(queue: string): Promise<number | undefined> {
    const [row] = await this.#database.read(SQL.firstDue, { queue })
    if (row?.due_at == null) return undefined
    const dueAt = Number(row.due_at)
    return dueAt < 0 ? Math.min(0, dueAt + AT_ONCE_MS - Date.now()) : dueAt - Date.now()
  }

  async total(name: string): Promise<number> {
    return Number((await this.#database.read(SQL.readTally, { name }))[0]?.value ?? 0)
  }

  /** Reaches the disk with the mark of the run that it is for. */
  async reserve(name: string, part: string, { amount, limit }: { amount: number; limit: number }): Promise<boolean> {
    return this.#database.transaction({ toDisk: false }, () => {
      const own = partName(name, part)
      if (this.#database.rows(SQL.readTally, { name: own }).length > 0) return true
      const value = Number(this.#database.rows(SQL.readTally, { name })[0]?.value ?? 0) + amount
      if (value > limit) return false
      this.#database.rows(SQL.setTally, { name, value })
      this.#database.rows(SQL.setTally, { name: own, value: amount })
      return true
    })
  }

  async release(name: string, part: string): Promise<void> {
    await this.#database.transaction({ toDisk: true }, () => {
      const [row] = this.#database.rows(SQL.removeTally, { name: partName(name, part) })
      if (row !== undefined) this.#database.rows(SQL.addTally, { name, amount: -Number(row.value) })
    })
  }

  async update(queue: string, id: string, data: string): Promise<boolean> {
    return this.#database.transaction({ toDisk: true }, () =>
      this.#isDone(SQL.update, { queue, id, data, dueAt: dueAfter(0, Date.now()) }),
    )
  }

  async replay(queue: string, id: string): Promise<boolean> {
    return this.#database.transaction({ toDisk: true }, () =>
      this.#isDone(SQL.replay, { queue, id, dueAt: dueAfter(0, Date.now()), seq: this.#nextSeq() }),
    )
  }

  async remove(queue: string, id: string): Promise<boolean> {
    return this.#database.transaction({ toDisk: true }, () => this.#isDone(SQL.remove, { queue, id, now: Date.now() }))
  }

  async close(): Promise<void> {
    this.#database.close()
  }

  #nextSeq(): number {
    return Number(this.#database.rows(SQL.nextSeq)[0]?.value)
  }

  #isDone(sql: string, values: Values): boolean {
    return this.#database.rows(sql, values).length > 0
  }
}
