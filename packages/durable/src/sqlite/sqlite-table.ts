import type { Rate, TaskRecord, TaskState } from '../engine/engine.ts'
import { msUntilStart, takeStarts } from '../engine/spacing.ts'
import {
  type LockedTask,
  type LockedTasks,
  type LockRequest,
  POISON_AFTER,
  PROCESS_DIED,
  SUSPECT_AFTER,
  type TaskEnd,
  type TaskTable,
} from '../engine/task-table.ts'
import { type Database, openDatabase, type Row, type Values } from './sqlite-database.ts'
import { SQL } from './sqlite-statements.ts'

/** What is added in one turn of the event loop is written to the disk at once. */
interface WaitingAdd {
  values: Values
  resolve(): void
  reject(error: unknown): void
}

/** The tasks of a SQLite file. */
export class SqliteTable implements TaskTable {
  readonly #database: Database
  #adds: WaitingAdd[] = []

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = openDatabase(path, busyTimeoutMs)
  }

  async setup(): Promise<void> {
    await this.#database.transaction({ toDisk: true }, () => this.#database.exec(SQL.setup))
  }

  add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#adds.length === 0) setImmediate(() => void this.#writeAdds())
      this.#adds.push({ values: { queue, id, data, delayMs: Math.ceil(delayMs) }, resolve, reject })
    })
  }

  async #writeAdds(): Promise<void> {
    const adds = this.#adds
    this.#adds = []
    try {
      const now = Date.now()
      await this.#database.transaction({ toDisk: true }, () => {
        for (const { values } of adds) this.#database.rows(SQL.add, { ...values, now, seq: this.#nextSeq() })
      })
      for (const { resolve } of adds) resolve()
    } catch (error) {
      for (const { reject } of adds) reject(error)
    }
  }

  async lock(request: LockRequest): Promise<LockedTasks> {
    // To the disk: a task that runs again after a power failure, as if it never had, could be paid twice.
    return this.#database.transaction({ toDisk: true }, () => this.#lock(request))
  }

  #lock({ queue, limit, alone, lockMs, rate }: LockRequest): LockedTasks {
    const now = Date.now()
    const { pausedUntil, nextStart } = this.#queueState(queue)
    if (pausedUntil > now) return { tasks: [], nextMs: pausedUntil - now, hasSuspect: false }
    for (const row of this.#due({ queue, now, limit: 100, lost: [POISON_AFTER, 1e9] })) this.#bury(queue, row, now)
    const hasSuspect = this.#due({ queue, now, limit: 1, lost: [SUSPECT_AFTER, POISON_AFTER - 1] }).length > 0
    const lost: [number, number] = alone ? [SUSPECT_AFTER, POISON_AFTER - 1] : [0, SUSPECT_AFTER - 1]
    const rows = this.#due({ queue, now, limit: startsNow(rate, { now, nextStart, wanted: limit }), lost })
    const tasks = rows.map((row) => this.#lockRow(queue, row, now + lockMs))
    const taken = rate === undefined ? nextStart : takeStarts(rate, { now, nextStart, wanted: rows.length }).nextStart
    if (rate !== undefined && rows.length > 0) this.#database.rows(SQL.setNextStart, { queue, value: taken })
    return { tasks, hasSuspect, nextMs: this.#nextMs(queue, { now, rate, nextStart: taken }) }
  }

  #queueState(queue: string): { pausedUntil: number; nextStart: number } {
    const [row] = this.#database.rows(SQL.queue, { queue })
    return { pausedUntil: Number(row?.paused_until ?? 0), nextStart: Number(row?.next_start ?? 0) }
  }

  #due({ queue, now, limit, lost }: { queue: string; now: number; limit: number; lost: [number, number] }): Row[] {
    return this.#database.rows(SQL.due, { queue, now, limit, minLost: lost[0], maxLost: lost[1] })
  }

  #lockRow(queue: string, row: Row, dueAt: number): LockedTask {
    const id = String(row.id)
    const lost = Number(row.lost)
    this.#database.rows(SQL.lock, { queue, id, lost, dueAt })
    return {
      id,
      data: JSON.parse(String(row.data)),
      attempts: Number(row.attempts),
      lost,
      fence: Number(row.fence) + 1,
    }
  }

  /** A task that ended so many processes is dead. */
  #bury(queue: string, row: Row, now: number): void {
    const { id, fence } = this.#lockRow(queue, row, now)
    const values = { state: 'dead', result: null, error: JSON.stringify(PROCESS_DIED), now, seq: this.#nextSeq() }
    this.#database.rows(SQL.end, { queue, id, fence, ...values })
  }

  #nextMs(queue: string, times: { now: number; rate: Rate | undefined; nextStart: number }): number | undefined {
    const { now, rate, nextStart } = times
    const [row] = this.#database.rows(SQL.nextDue, { queue, now })
    const dueMs = row?.due_at == null ? undefined : Number(row.due_at) - now
    const startMs = rate === undefined ? 0 : msUntilStart(rate, { now, nextStart })
    if (startMs === 0) return dueMs
    return Math.max(startMs, 0)
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const dueAt = Date.now() + lockMs
    return this.#database.transaction({ toDisk: false }, () => {
      const kept = [...fences].filter(([id, fence]) => this.#isDone(SQL.renew, { queue, id, fence, dueAt }))
      return new Set(kept.map(([id]) => id))
    })
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    const now = Date.now()
    return this.#database.transaction({ toDisk: false }, () => {
      if (end.kind === 'done' || end.kind === 'dead') {
        const result = end.kind === 'done' && end.result !== undefined ? JSON.stringify(end.result) : null
        const error = end.kind === 'dead' ? JSON.stringify(end.error) : null
        return this.#isDone(SQL.end, { queue, id, fence, state: end.kind, result, error, now, seq: this.#nextSeq() })
      }
      const dueAt = now + Math.ceil(end.delayMs)
      if (end.kind === 'again' && end.pausesQueue) this.#database.rows(SQL.pause, { queue, value: dueAt })
      return this.#isDone(SQL.postpone, { queue, id, fence, dueAt, failed: end.kind === 'failed' ? 1 : 0 })
    })
  }

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return this.#database.rows(SQL.get, { queue, id }).map(toRecord)[0]
  }

  async list(
    queue: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number; after?: string | undefined },
  ): Promise<TaskRecord[]> {
    return this.#database.rows(SQL.list, { queue, state, limit, after: Number(after) }).map(toRecord)
  }

  async count(queue: string): Promise<Record<TaskState, number>> {
    const counts = this.#database.rows(SQL.count, { queue }).map((row) => [row.state, Number(row.count)])
    return { waiting: 0, running: 0, done: 0, dead: 0, ...Object.fromEntries(counts) }
  }

  async tally(name: string, amount: number, limit: number): Promise<number | undefined> {
    return this.#database.transaction({ toDisk: true }, () => {
      const before = Number(this.#database.rows(SQL.readTally, { name })[0]?.value ?? 0)
      const value = before + amount
      if (amount > 0 && value > limit) return undefined
      if (amount !== 0) this.#database.rows(SQL.setTally, { name, value })
      return value
    })
  }

  async replay(queue: string, id: string): Promise<boolean> {
    return this.#database.transaction({ toDisk: true }, () =>
      this.#isDone(SQL.replay, { queue, id, now: Date.now(), seq: this.#nextSeq() }),
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

function startsNow(
  rate: Rate | undefined,
  { now, nextStart, wanted }: { now: number; nextStart: number; wanted: number },
): number {
  return rate === undefined ? wanted : takeStarts(rate, { now, nextStart, wanted }).starts
}

function toRecord(row: Row): TaskRecord {
  return {
    id: String(row.id),
    state: String(row.state) as TaskState, // what this file writes
    data: JSON.parse(String(row.data)),
    result: row.result === null ? undefined : JSON.parse(String(row.result)),
    error: row.error === null ? undefined : JSON.parse(String(row.error)),
    addedAt: Number(row.added_at),
    endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
    cursor: String(row.seq),
  }
}
