import {
  type LockedOne,
  type LockedTasks,
  type LockOneRequest,
  type LockRequest,
  msUntilStart,
  PROCESS_DIED,
  type Spacing,
  type TaskEnd,
} from '@modelrun/kit'
import type { TaskName, TaskRecord, TaskState } from '../engine/engine.ts'
import { toEndColumns, toLockedTask, toRecord } from '../engine/rows.ts'
import { type DurableTable, partName } from '../engine/table-engine.ts'
import type { PostgresValue, Row } from './postgres-connection.ts'
import type { PostgresLink } from './postgres-link.ts'
import { setUpTables } from './postgres-setup.ts'
import { CHANNEL, SQL } from './postgres-statements.ts'

const SUSPECTS_AT_ONCE = 100

/** The adds of this time share a notification: commits with one wait for each other. */
const NOTIFY_MS = 25

const NOT_ASKED = { nextMs: undefined, hasSuspect: false, died: [] }

/** The tasks in a Postgres database. Each statement is a transaction of its own, with a short lock timeout. */
export class PostgresTable implements DurableTable {
  readonly #link: PostgresLink
  readonly #schema: string | undefined
  #notifying: NodeJS.Timeout | undefined

  constructor(link: PostgresLink, schema: string | undefined) {
    this.#link = link
    this.#schema = schema
  }

  setup(): Promise<void> {
    return setUpTables(this.#link, this.#schema)
  }

  async add(queue: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    await this.#rows(SQL.add, queue, id, data, delayMs)
  }

  async lock({ queue, limit, alone, lockMs, spacing, onlyTasks }: LockRequest): Promise<LockedTasks> {
    if (onlyTasks && spacing === undefined) {
      const rows = await this.#rows(SQL.lock, queue, limit, lockMs)
      if (rows.length > 0) return { tasks: rows.map(toLockedTask), onlyTasks, ...NOT_ASKED }
    }
    // Before the lock: a locked task must start at once.
    const { isDue, ...next } = await this.#findNext(queue)
    if (!isDue) return { ...next, tasks: [] }
    const starts = spacing === undefined ? undefined : await this.#takeStarts(queue, limit, spacing)
    const wanted = starts === undefined ? limit : starts.granted
    const sql = alone ? SQL.lockSuspects : SQL.lock
    const rows = wanted === 0 ? [] : await this.#rows(sql, queue, wanted, lockMs)
    const unused = wanted - rows.length
    if (spacing !== undefined && unused > 0) {
      // From here on nothing may reject: a task that was locked and does not run waits for the end of its lock.
      const isGivenBack = this.#rows(SQL.giveBackStarts, queue, unused, spacing.stepMs).catch(() => {})
      if (rows.length === 0) await isGivenBack
    }
    const waitMs = starts !== undefined && unused === 0 && starts.waitMs > 0 ? starts.waitMs : next.nextMs
    return { ...next, tasks: rows.map(toLockedTask), nextMs: waitMs }
  }

  async lockOne({ queue, id, lockMs, spacing, isEarly }: LockOneRequest): Promise<LockedOne> {
    const early = isEarly ? 1 : 0
    const rate = [spacing?.slackMs ?? null, spacing?.stepMs ?? null]
    const [locked] = await this.#rows(SQL.lockOne, queue, id, lockMs, early, ...rate)
    if (locked !== undefined) return { task: toLockedTask(locked) }
    const [row] = await this.#rows(SQL.one, queue, id)
    if (row === undefined) return { task: undefined, isRunning: false, waitMs: 0 }
    const [now, dueAt, pausedUntil] = [Number(row.now), Number(row.due_at), Number(row.paused_until ?? 0)]
    const startMs = spacing && msUntilStart(spacing, { now, nextStart: Number(row.next_start ?? 0) })
    const isRunning = row.state === 'running'
    const dueMs = isEarly && !isRunning ? 0 : dueAt - now
    return {
      task: undefined,
      isRunning: isRunning && dueMs > 0,
      waitMs: Math.max(0, startMs ?? 0, dueMs, pausedUntil - now),
    }
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
  async #findNext(queue: string): Promise<Omit<LockedTasks, 'tasks'> & { isDue: boolean }> {
    const [row = {}] = await this.#rows(SQL.nextDue, queue)
    const now = Number(row.now)
    const pausedMs = Number(row.paused_until ?? 0) - now
    if (pausedMs > 0) return { isDue: false, hasSuspect: false, nextMs: pausedMs, died: [] }
    const hasSuspect = row.has_suspect === true
    const error = JSON.stringify(PROCESS_DIED)
    const dead = hasSuspect ? await this.#rows(SQL.killPoison, queue, SUSPECTS_AT_ONCE, error) : []
    const died = dead.map(toLockedTask)
    return {
      isDue: row.is_due === true,
      died,
      hasSuspect,
      nextMs: row.due_at == null ? undefined : Number(row.due_at) - now,
    }
  }

  async nextDue(queues: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows(SQL.nextDueOf, JSON.stringify(queues))
    return new Map(rows.map(({ queue, ms }) => [String(queue), Number(ms)]))
  }

  listen(onNotify: () => void, onEnd: () => void): Promise<(() => Promise<void>) | undefined> {
    return this.#link.listen(CHANNEL, onNotify, onEnd)
  }

  notify(): void {
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined
      this.#rows(SQL.notify).catch(() => {})
    }, NOTIFY_MS)
  }

  async renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>> {
    return idsOf(await this.#rows(SQL.renew, queue, toJson(fences), lockMs))
  }

  async markStarted(queue: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
    return idsOf(await this.#rows(SQL.markStarted, queue, toJson(fences)))
  }

  async end(queue: string, { id, fence }: { id: string; fence: number }, end: TaskEnd): Promise<boolean> {
    if (end.kind === 'done' || end.kind === 'dead') {
      const { state, result, error } = toEndColumns(end)
      return this.#isDone(SQL.end, queue, id, fence, state, result, error)
    }
    if (end.kind === 'again' && end.pausesQueue) await this.pause(queue, end.delayMs)
    return this.#isDone(SQL.postpone, queue, id, fence, end.kind === 'failed' ? 1 : 0, end.delayMs)
  }

  async get(queue: string, id: string): Promise<TaskRecord | undefined> {
    return (await this.#rows(SQL.get, queue, id)).map(toRecord)[0]
  }

  async getAll(tasks: readonly TaskName[]): Promise<(TaskRecord | undefined)[]> {
    const rows = await this.#rows(SQL.getAll, JSON.stringify(tasks))
    return tasks.map(({ queue, id }) => rows.filter((row) => row.queue === queue && row.id === id).map(toRecord)[0])
  }

  async list(
    queue: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number; after?: string | undefined },
  ): Promise<TaskRecord[]> {
    // In a statement of its own: the list has to see what is committed meanwhile.
    const [newest] = await this.#rows(SQL.newest, queue, state, after)
    if (newest === undefined) return []
    return (await this.#rows(SQL.list, queue, state, after, limit, String(newest.seq))).map(toRecord)
  }

  async count(queue: string): Promise<Record<TaskState, number>> {
    const [{ open, running, done, dead } = {}] = await this.#rows(SQL.count, queue)
    return { waiting: Number(open) - Number(running), running: Number(running), done: Number(done), dead: Number(dead) }
  }

  async pause(queue: string, ms: number): Promise<void> {
    await this.#rows(SQL.pause, queue, ms)
  }

  async resume(queue: string): Promise<void> {
    await this.#rows(SQL.resume, queue)
  }

  isPaused(queue: string): Promise<boolean> {
    return this.#rows(SQL.isPaused, queue).then(([row]) => row?.is_paused === true)
  }

  async msUntilDue(queue: string): Promise<number | undefined> {
    const [row] = await this.#rows(SQL.firstDue, queue)
    return row?.ms == null ? undefined : Number(row.ms)
  }

  async tally(name: string, amount: number, limit: number): Promise<number | undefined> {
    const [row] = await this.#rows(SQL.tally, name, amount, Math.min(limit, Number.MAX_VALUE))
    return row === undefined ? undefined : Number(row.value)
  }

  async reserve(name: string, part: string, { amount, limit }: { amount: number; limit: number }): Promise<boolean> {
    return this.#isDone(SQL.reserve, name, amount, limit, partName(name, part))
  }

  async release(name: string, part: string): Promise<void> {
    await this.#rows(SQL.release, name, partName(name, part))
  }

  update(queue: string, id: string, data: string): Promise<boolean> {
    return this.#isDone(SQL.update, queue, id, data)
  }

  replay(queue: string, id: string): Promise<boolean> {
    return this.#isDone(SQL.replay, queue, id)
  }

  remove(queue: string, id: string): Promise<boolean> {
    return this.#isDone(SQL.remove, queue, id)
  }

  close(): Promise<void> {
    clearTimeout(this.#notifying)
    return this.#link.close()
  }

  #rows(sql: string, ...values: PostgresValue[]): Promise<readonly Row[]> {
    return this.#link.rows(sql, values)
  }

  async #isDone(sql: string, ...values: PostgresValue[]): Promise<boolean> {
    return (await this.#rows(sql, ...values)).length > 0
  }
}

function toJson(fences: ReadonlyMap<string, number>): string {
  return JSON.stringify(Array.from(fences, ([id, fence]) => ({ id, fence })))
}

function idsOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => String(id)))
}
