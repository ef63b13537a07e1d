import type { LockedOne, LockedTask, LockedTasks, LockOneRequest, LockRequest, Spacing, TaskEnd } from '@modelrun/kit'
import { msUntilStart, startAfter } from '@modelrun/kit'
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

export function createSqliteTable(database: Database): DurableTable {
  const { rows, read } = database
  const { keep, store } = transactionsOf(database)
  let isDelayedFirst = false
  const first = async (sql: string, values: Values) => (await read(sql, values))[0]
  const isDone = (sql: string, values: Values) => store(() => rows(sql, values).length > 0)
  return {
    ...createTallies(database),
    setup: () => store(() => database.exec(migration(versionIn(database)))),
    add: (queue, id, { data, delayMs }) =>
      store(() => {
        const now = Date.now()
        rows(SQL.add, { queue, id, data, now, dueAt: dueAfter(delayMs, now), seq: nextSeq(database) })
      }),
    lock(request) {
      isDelayedFirst = !isDelayedFirst
      return keep(() => lockTasks(database, request, isDelayedFirst))
    },
    lockOne: (request) => keep(() => lockTask(database, request)),
    async nextDue(queues) {
      const now = Date.now()
      const found = queues.flatMap((queue) => {
        const [row] = rows(SQL.firstDue, { queue })
        if (row?.due_at == null) return []
        const { pausedMs } = queueState(database, queue, { now, spacing: undefined })
        return [[queue, Math.max(Number(row.due_at) - now, pausedMs)] as const]
      })
      return new Map(found)
    },
    async renew(queue, fences, lockMs) {
      const dueAt = Date.now() + lockMs
      return keep(() => changeHeld(database, fences, { sql: SQL.renew, values: { queue, dueAt } }))
    },
    // To the disk: after a power failure, a lost mark would let a run be sent and paid twice.
    markStarted: (queue, fences) =>
      store(() => changeHeld(database, fences, { sql: SQL.markStarted, values: { queue, now: Date.now() } })),
    end: (queue, { id, fence }, end) => keep(() => endTask(database, { queue, id, fence }, end)),
    get: async (queue, id) => (await read(SQL.get, { queue, id })).map(toRecord)[0],
    list: async (queue, state, { limit, after = '0' }) =>
      (await read(SQL.list, { queue, state, limit, after: Number(after) })).map(toRecord),
    async count(queue) {
      const counts = (await read(SQL.count, { queue })).map((row) => [row.state, Number(row.count)])
      return { waiting: 0, running: 0, done: 0, dead: 0, ...Object.fromEntries(counts) }
    },
    async pause(queue, ms) {
      const value = Date.now() + Math.ceil(ms)
      await store(() => rows(SQL.pause, { queue, value }))
    },
    resume: async (queue) => void (await store(() => rows(SQL.resume, { queue }))),
    isPaused: async (queue) => Number((await first(SQL.queue, { queue }))?.paused_until ?? 0) > Date.now(),
    async msUntilDue(queue) {
      const row = await first(SQL.firstDue, { queue })
      if (row?.due_at == null) return undefined
      const dueAt = Number(row.due_at)
      return dueAt < 0 ? Math.min(0, dueAt + AT_ONCE_MS - Date.now()) : dueAt - Date.now()
    },
    update: (queue, id, data) => isDone(SQL.update, { queue, id, data, dueAt: dueAfter(0, Date.now()) }),
    replay: (queue, id) =>
      store(() => {
        const dueAt = dueAfter(0, Date.now())
        return rows(SQL.replay, { queue, id, dueAt, seq: nextSeq(database) }).length > 0
      }),
    remove: (queue, id) => isDone(SQL.remove, { queue, id, now: Date.now() }),
    guardedBy(guard) {
      const task = { ...guard, addedAt: guard.addedAt ?? null, fence: guard.fence ?? null }
      const isHeld = () => rows(SQL.guard, task).length > 0
      return createSqliteTable({ ...database, rows: (sql, values) => (isHeld() ? rows(sql, values) : []) })
    },
    close: async () => database.close(),
  }
}

/** `store`: what it changes outlives a power failure. `keep`: it outlives the process. */
function transactionsOf(database: Database) {
  const keep = <T>(work: () => T) => database.transaction({ toDisk: false }, work)
  const store = <T>(work: () => T) => database.transaction({ toDisk: true }, work)
  return { keep, store }
}

function createTallies(database: Database): Pick<DurableTable, 'total' | 'reserve' | 'release'> {
  const { rows, read } = database
  const { keep, store } = transactionsOf(database)
  return {
    total: async (name) => Number((await read(SQL.readTally, { name }))[0]?.value ?? 0),
    // Reaches the disk with the mark of the run that it is for.
    reserve: (name, part, { amount, limit }) =>
      keep(() => {
        const own = partName(name, part)
        if (rows(SQL.readTally, { name: own }).length > 0) return true
        const value = Number(rows(SQL.readTally, { name })[0]?.value ?? 0) + amount
        if (value > limit) return false
        rows(SQL.setTally, { name, value })
        rows(SQL.setTally, { name: own, value: amount })
        return true
      }),
    release: (name, part) =>
      store(() => {
        const [row] = rows(SQL.removeTally, { name: partName(name, part) })
        if (row !== undefined) rows(SQL.addTally, { name, amount: -Number(row.value) })
      }),
  }
}

// What follows is for a transaction.

function nextSeq({ rows }: Database): number {
  return Number(rows(SQL.nextSeq)[0]?.value)
}

/** @param isDelayedFirst in turns: no backlog of tasks with a delay stops those without one, nor the other way round */
function lockTasks(
  database: Database,
  { queue, limit, lockMs, spacing }: LockRequest,
  isDelayedFirst: boolean,
): LockedTasks {
  const { rows } = database
  const now = Date.now()
  const { pausedMs, startMs, nextStart } = queueState(database, queue, { now, spacing })
  const waitMs = Math.max(pausedMs, startMs)
  if (waitMs > 0) return { tasks: [], nextMs: waitMs }
  const delayed = { from: 0, to: now }
  const atOnce = { from: -AT_ONCE_MS, to: -1 }
  const ranges = isDelayedFirst ? [delayed, atOnce] : [atOnce, delayed]
  const due = ranges.flatMap((range) => rows(SQL.due, { queue, limit, ...range })).slice(0, limit)
  const tasks = due.map((row) => lockRow(database, row, { queue, dueAt: now + lockMs }))
  if (spacing !== undefined && tasks.length > 0) {
    return { tasks, nextMs: takeStart(database, queue, { spacing, now, nextStart }) }
  }
  const [next] = rows(SQL.nextDue, { queue, now })
  return { tasks, nextMs: next?.due_at == null ? undefined : Number(next.due_at) - now }
}

function lockTask(database: Database, request: LockOneRequest): LockedOne {
  const { queue, id, lockMs, spacing, isEarly, ignoresPause } = request
  const now = Date.now()
  const { pausedMs, startMs, nextStart } = queueState(database, queue, { now, spacing })
  const [row] = database.rows(SQL.one, { queue, id })
  if (row === undefined) return { task: undefined, isRunning: false, waitMs: 0 }
  const isRunning = row.state === 'running'
  const dueMs = isEarly && !isRunning ? 0 : Number(row.due_at) - now
  const waitMs = Math.max(startMs, dueMs, ignoresPause ? 0 : pausedMs)
  if (waitMs > 0) return { task: undefined, isRunning: isRunning && dueMs > 0, waitMs }
  if (spacing !== undefined) takeStart(database, queue, { spacing, now, nextStart })
  return { task: lockRow(database, row, { queue, dueAt: now + lockMs }) }
}

/** @returns milliseconds until the next start */
function takeStart(
  { rows }: Database,
  queue: string,
  { spacing, now, nextStart }: { spacing: Spacing; now: number; nextStart: number },
): number {
  const value = startAfter(spacing, { now, nextStart })
  rows(SQL.setNextStart, { queue, value })
  return msUntilStart(spacing, { now, nextStart: value })
}

function queueState(
  { rows }: Database,
  queue: string,
  { now, spacing }: { now: number; spacing: Spacing | undefined },
) {
  const [row] = rows(SQL.queue, { queue })
  const nextStart = Number(row?.next_start ?? 0)
  const startMs = spacing === undefined ? 0 : msUntilStart(spacing, { now, nextStart })
  return { pausedMs: Number(row?.paused_until ?? 0) - now, startMs, nextStart }
}

function lockRow({ rows }: Database, row: Row, { queue, dueAt }: { queue: string; dueAt: number }): LockedTask {
  const task = toLockedTask(row)
  rows(SQL.lock, { queue, id: task.id, lost: task.lost, dueAt })
  return { ...task, fence: task.fence + 1 }
}

/** Changes the tasks that are still locked with these fences. Returns their ids. */
function changeHeld(
  { rows }: Database,
  fences: ReadonlyMap<string, number>,
  { sql, values }: { sql: string; values: Values },
): ReadonlySet<string> {
  const held = [...fences].filter(([id, fence]) => rows(sql, { ...values, id, fence }).length > 0)
  return new Set(held.map(([id]) => id))
}

function endTask(database: Database, task: { queue: string; id: string; fence: number }, end: TaskEnd): boolean {
  const { rows } = database
  const now = Date.now()
  if (end.kind === 'done' || end.kind === 'dead') {
    return rows(SQL.end, { ...task, ...toEndColumns(end), now, seq: nextSeq(database) }).length > 0
  }
  const dueAt = dueAfter(end.delayMs, now)
  if (end.kind === 'again' && end.pausesQueue) rows(SQL.pause, { queue: task.queue, value: dueAt })
  return rows(SQL.postpone, { ...task, dueAt, failed: end.kind === 'failed' ? 1 : 0 }).length > 0
}
