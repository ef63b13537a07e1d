import {
  type LockedOne,
  type LockedTasks,
  type LockOneRequest,
  type LockRequest,
  msUntilStart,
  type Spacing,
  type TaskEnd,
  type TaskRecord,
  type TaskState,
} from '@modelrun/kit'
import type { TaskName } from '../engine/engine.ts'
import { type DurableTable, partName, toEndColumns, toLockedTask, toRecord } from '../engine/table-engine.ts'
import type { PostgresValue, Row } from './postgres-connection.ts'
import type { PostgresLink } from './postgres-link.ts'
import { CHANNEL, SQL } from './postgres-statements.ts'
import { setUpTables } from './postgres-versions.ts'

/** The adds of this time share a notification: commits with one wait for each other. */
const NOTIFY_MS = 25

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

  async lock({ queue, limit, lockMs, spacing }: LockRequest): Promise<LockedTasks> {
    const rows = await this.#rows(SQL.lock, queue, lockMs, ...rateOf(spacing), limit)
    const [first] = rows
    if (first === undefined) return { tasks: [], nextMs: await this.#msUntilNext(queue, spacing) }
    return { tasks: rows.map(toLockedTask), nextMs: spacing && startMs(spacing, first) }
  }

  async #msUntilNext(queue: string, spacing: Spacing | undefined): Promise<number | undefined> {
    const [row = {}] = await this.#rows(SQL.nextDue, queue)
    const waitMs = Math.max(pausedMs(row), startMs(spacing, row))
    if (waitMs > 0) return waitMs
    return row.due_at == null ? undefined : Number(row.due_at) - Number(row.now)
  }

  async lockOne({ queue, id, lockMs, spacing, isEarly, ignoresPause }: LockOneRequest): Promise<LockedOne> {
    const flags = [isEarly, ignoresPause].map(Number)
    const [locked] = await this.#rows(SQL.lockOne, queue, lockMs, ...rateOf(spacing), id, ...flags)
    if (locked !== undefined) return { task: toLockedTask(locked) }
    const [row] = await this.#rows(SQL.one, queue, id)
    if (row === undefined) return { task: undefined, isRunning: false, waitMs: 0 }
    const isRunning = row.state === 'running'
    const dueMs = isEarly && !isRunning ? 0 : Number(row.due_at) - Number(row.now)
    const waitMs = Math.max(0, startMs(spacing, row), dueMs, ignoresPause ? 0 : pausedMs(row))
    return { task: undefined, isRunning: isRunning && dueMs > 0, waitMs }
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

  async total(name: string): Promise<number> {
    const [row] = await this.#rows(SQL.total, name)
    return Number(row?.value ?? 0)
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

function rateOf(spacing: Spacing | undefined): PostgresValue[] {
  return [spacing?.slackMs ?? null, spacing?.stepMs ?? null]
}

/** How long the rate allows no start, from a row of the queue. */
function startMs(spacing: Spacing | undefined, { now, next_start: nextStart }: Row): number {
  return spacing === undefined ? 0 : msUntilStart(spacing, { now: Number(now), nextStart: Number(nextStart ?? 0) })
}

function pausedMs({ now, paused_until: pausedUntil }: Row): number {
  return Number(pausedUntil ?? 0) - Number(now)
}
