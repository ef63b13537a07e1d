import type { TaskRecord, TaskState } from '../engine/engine.ts'
import { toEndColumns, toLockedTask, toRecord } from '../engine/rows.ts'
import { msUntilStart, type Spacing } from '../engine/spacing.ts'
import { type LockedTasks, type LockRequest, PROCESS_DIED, type TaskEnd, type TaskTable } from '../engine/task-table.ts'
import { type PostgresQuery, type PostgresValue, queryRows, type Row } from './postgres-query.ts'
import { SQL } from './postgres-statements.ts'

const SUSPECTS_AT_ONCE = 100

/** The tasks in a Postgres database. Each statement is a transaction of its own, with a short lock timeout. */
export class PostgresTable implements TaskTable {
  readonly #query: PostgresQuery

  constructor(query: PostgresQuery) {
    this.#query = query
  }

  async setup(): Promise<void> {
    const [row] = await queryRows(this.#query, SQL.isSetUp, [])
    // With existing tables, the user needs no permission to create tables.
    if (row?.is_set_up === true) return
    // Not by `queryRows`: several statements have several results.
    await this.#query(SQL.setup, [])
  }

  async add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    const rows = await this.#rows(SQL.add, queue, id, data, delayMs)
    if (rows.length > 0) return
    await this.#rows(SQL.addQueue, queue)
    return this.add(queue, id, { data, delayMs })
  }

  async lock({ queue, limit, alone, lockMs, spacing }: LockRequest): Promise<LockedTasks> {
    // Before the lock: a locked task must start at once, because a process that dies before the start counts as lost.
    const next = await this.#findNext(queue)
    const starts = spacing === undefined ? undefined : await this.#takeStarts(queue, limit, spacing)
    const wanted = starts === undefined ? limit : starts.granted
    const sql = alone ? SQL.lockSuspects : SQL.lock
    const rows = wanted === 0 ? [] : await this.#rows(sql, queue, wanted, lockMs)
    const unused = wanted - rows.length
    if (spacing !== undefined && unused > 0) {
      // From here on nothing may reject: a task that was locked and does not run counts as lost.
      const isGivenBack = this.#rows(SQL.giveBackStarts, queue, unused, spacing.stepMs).catch(() => {})
      if (rows.length === 0) await isGivenBack
    }
    const waitMs = starts !== undefined && unused === 0 && starts.waitMs > 0 ? starts.waitMs : next.nextMs
    return { ...next, tasks: rows.map(toLockedTask), nextMs: waitMs }
  }

  async #takeStarts(queue: string, wanted: number, spacing: Spacing): Promise<{ granted: number; waitMs: number }> {
    const values = [queue, wanted, spacing.slackMs, spacing.stepMs]
    const [row] = await this.#rows(SQL.takeStarts, ...values)
    if (row !== undefined) {
      const waitMs = msUntilStart(spacing, { now: Number(row.now), nextStart: Number(row.next_start) })
      return { granted: Number(row.granted), waitMs }
    }
    await this.#rows(SQL.addQueue, queue)
    return this.#takeStarts(queue, wanted, spacing)
  }

  /** Finds when the next task is due, and makes tasks dead that ended too many processes. */
  async #findNext(queue: string): Promise<Omit<LockedTasks, 'tasks'>> {
    const [row = {}] = await this.#rows(SQL.nextDue, queue)
    const now = Number(row.now)
    const pausedMs = Number(row.paused_until ?? 0) - now
    if (pausedMs > 0) return { hasSuspect: false, nextMs: pausedMs, died: [] }
    const hasSuspect = row.has_suspect === true
    const error = JSON.stringify(PROCESS_DIED)
    const dead = hasSuspect ? await this.#rows(SQL.killPoison, queue, SUSPECTS_AT_ONCE, error) : []
    const died = dead.map(toLockedTask)
    return { died, hasSuspect, nextMs: row.due_at == null ? undefined : Number(row.due_at) - now }
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    const tasks = JSON.stringify(Array.from(fences, ([id, fence]) => ({ id, fence })))
    return new Set((await this.#rows(SQL.renew, queue, tasks, lockMs)).map(({ id }) => String(id)))
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    if (end.kind === 'done' || end.kind === 'dead') {
      const { state, result, error } = toEndColumns(end)
      return this.#isDone(SQL.end, queue, id, fence, state, result, error)
    }
    if (end.kind === 'again' && end.pausesQueue) await this.#rows(SQL.pause, queue, end.delayMs)
    return this.#isDone(SQL.postpone, queue, id, fence, end.kind === 'failed' ? 1 : 0, end.delayMs)
  }

  async giveBack(queue: string, { id, fence }: { id: string; fence: number }): Promise<void> {
    if (await this.#isDone(SQL.postpone, queue, id, fence, 0, 0)) return
    await this.#rows(SQL.uncountLoss, queue, id, fence)
  }

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return (await this.#rows(SQL.get, queue, id)).map(toRecord)[0]
  }

  async list(
    queue: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number; after?: string | undefined },
  ): Promise<TaskRecord[]> {
    return (await this.#rows(SQL.list, queue, state, after, limit)).map(toRecord)
  }

  async count(queue: string): Promise<Record<TaskState, number>> {
    const [{ open = 0, running = 0, done = 0, dead = 0 } = {}] = await this.#rows(SQL.count, queue)
    return { waiting: Number(open) - Number(running), running: Number(running), done: Number(done), dead: Number(dead) }
  }

  async tally(name: string, amount: number, limit: number): Promise<number | undefined> {
    const [row] = await this.#rows(SQL.tally, name, amount, Math.min(limit, Number.MAX_VALUE))
    return row === undefined ? undefined : Number(row.value)
  }

  replay(queue: string, id: string): Promise<boolean> {
    return this.#isDone(SQL.replay, queue, id)
  }

  remove(queue: string, id: string): Promise<boolean> {
    return this.#isDone(SQL.remove, queue, id)
  }

  // The caller closes its connections.
  async close(): Promise<void> {}

  #rows(sql: string, ...values: PostgresValue[]): Promise<readonly Row[]> {
    return queryRows(this.#query, sql, values)
  }

  async #isDone(sql: string, ...values: PostgresValue[]): Promise<boolean> {
    return (await this.#rows(sql, ...values)).length > 0
  }
}
