import { msUntilStart, type Spacing } from '@modelrun/kit'
import type { DurableTable, TaskLocks } from '../engine/table-engine.ts'
import { partName, toEndColumns, toLockedTask, toRecord } from '../engine/table-engine.ts'
import type { PostgresValue, Row } from './postgres-connection.ts'
import type { PostgresLink } from './postgres-link.ts'
import { CHANNEL, guarded, SQL } from './postgres-statements.ts'
import { setUpTables } from './postgres-versions.ts'

/** The adds of this time share a notification: commits with one wait for each other. */
const NOTIFY_MS = 25

/** The tasks in a Postgres database. Each statement is a transaction of its own, with a short lock timeout. */
export function createPostgresTable(link: PostgresLink, schema: string | undefined): DurableTable {
  let notifying: NodeJS.Timeout | undefined
  const { rows, row, isDone } = createQueries(link)
  return {
    ...createLocks(link),
    setup: () => setUpTables(link, schema),
    add: async (queue, id, { data, delayMs }) => void (await rows(SQL.add, queue, id, data, delayMs)),
    listen: (onNotify, onEnd) => link.listen(CHANNEL, onNotify, onEnd),
    notify() {
      notifying ??= setTimeout(() => {
        notifying = undefined
        rows(SQL.notify).catch(() => {})
      }, NOTIFY_MS)
    },
    get: async (queue, id) => (await rows(SQL.get, queue, id)).map(toRecord)[0],
    async getAll(tasks) {
      const found = await rows(SQL.getAll, JSON.stringify(tasks))
      return tasks.map(({ queue, id }) => found.filter((one) => one.queue === queue && one.id === id).map(toRecord)[0])
    },
    async list(queue, state, { limit, after = '0' }) {
      // In a statement of its own: the list has to see what is committed meanwhile.
      const newest = await row(SQL.newest, queue, state, after)
      if (newest === undefined) return []
      return (await rows(SQL.list, queue, state, after, limit, String(newest.seq))).map(toRecord)
    },
    async count(queue) {
      const { open, done, dead, ...counts } = (await row(SQL.count, queue)) ?? {}
      const running = Number(counts.running)
      return { waiting: Number(open) - running, running, done: Number(done), dead: Number(dead) }
    },
    pause: async (queue, ms) => void (await rows(SQL.pause, queue, ms)),
    resume: async (queue) => void (await rows(SQL.resume, queue)),
    isPaused: async (queue) => (await row(SQL.isPaused, queue))?.is_paused === true,
    async msUntilDue(queue) {
      const { ms } = (await row(SQL.firstDue, queue)) ?? {}
      return ms == null ? undefined : Number(ms)
    },
    total: async (name) => Number((await row(SQL.total, name))?.value ?? 0),
    reserve: (name, part, { amount, limit }) => isDone(SQL.reserve, name, amount, limit, partName(name, part)),
    release: async (name, part) => void (await rows(SQL.release, name, partName(name, part))),
    update: (queue, id, data) => isDone(SQL.update, queue, id, data),
    replay: (queue, id) => isDone(SQL.replay, queue, id),
    remove: (queue, id) => isDone(SQL.remove, queue, id),
    guardedBy: (guard) =>
      createPostgresTable({ ...link, rows: (...change) => link.rows(...guarded(...change, guard)) }, schema),
    close() {
      clearTimeout(notifying)
      return link.close()
    },
  }
}

function createQueries(link: PostgresLink) {
  const rows = (sql: string, ...values: PostgresValue[]) => link.rows(sql, values)
  const row = async (sql: string, ...values: PostgresValue[]) => (await link.rows(sql, values))[0]
  const isDone = async (sql: string, ...values: PostgresValue[]) => (await row(sql, ...values)) !== undefined
  return { rows, row, isDone }
}

function createLocks(link: PostgresLink): TaskLocks & Pick<DurableTable, 'nextDue'> {
  const { rows, row, isDone } = createQueries(link)
  const msUntilNext = async (queue: string, spacing: Spacing | undefined) => {
    const found = (await row(SQL.nextDue, queue)) ?? {}
    const waitMs = Math.max(pausedMs(found), startMs(spacing, found))
    if (waitMs > 0) return waitMs
    return found.due_at == null ? undefined : Number(found.due_at) - Number(found.now)
  }
  return {
    async lock({ queue, limit, lockMs, spacing }) {
      const locked = await rows(SQL.lock, queue, lockMs, ...rateOf(spacing), limit)
      const [first] = locked
      if (first === undefined) return { tasks: [], nextMs: await msUntilNext(queue, spacing) }
      return { tasks: locked.map(toLockedTask), nextMs: spacing && startMs(spacing, first) }
    },
    async lockOne({ queue, id, lockMs, spacing, isEarly, ignoresPause }) {
      const flags = [isEarly, ignoresPause].map(Number)
      const locked = await row(SQL.lockOne, queue, lockMs, ...rateOf(spacing), id, ...flags)
      if (locked !== undefined) return { task: toLockedTask(locked) }
      const open = await row(SQL.one, queue, id)
      if (open === undefined) return { task: undefined, isRunning: false, waitMs: 0 }
      const isRunning = open.state === 'running'
      const dueMs = isEarly && !isRunning ? 0 : Number(open.due_at) - Number(open.now)
      const waitMs = Math.max(0, startMs(spacing, open), dueMs, ignoresPause ? 0 : pausedMs(open))
      return { task: undefined, isRunning: isRunning && dueMs > 0, waitMs }
    },
    async nextDue(queues) {
      const due = await rows(SQL.nextDueOf, JSON.stringify(queues))
      return new Map(due.map(({ queue, ms }) => [String(queue), Number(ms)]))
    },
    renew: async (queue, fences, lockMs) => idsOf(await rows(SQL.renew, queue, toJson(fences), lockMs)),
    markStarted: async (queue, fences) => idsOf(await rows(SQL.markStarted, queue, toJson(fences))),
    async end(queue, { id, fence }, end) {
      if (end.kind === 'done' || end.kind === 'dead') {
        const { state, result, error } = toEndColumns(end)
        return isDone(SQL.end, queue, id, fence, state, result, error)
      }
      if (end.kind === 'again' && end.pausesQueue) await rows(SQL.pause, queue, end.delayMs)
      return isDone(SQL.postpone, queue, id, fence, end.kind === 'failed' ? 1 : 0, end.delayMs)
    },
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
