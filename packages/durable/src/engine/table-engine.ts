import type { Checks, Json, LockedTask, TaskEnd, TaskRecord, TaskState, TaskTable } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { type Codec, withCodec } from './codec.ts'
import type { Engine, Guard, TaskName } from './engine.ts'

/** What locks the tasks, and changes them until they end. */
export type TaskLocks = Required<Pick<TaskTable, 'lock' | 'lockOne' | 'renew' | 'markStarted' | 'end'>>

/** The tasks and counters of an engine in its database. */
export interface DurableTable
  extends Omit<TaskTable, 'lockOne'>,
    TaskLocks,
    Pick<Engine, 'count' | 'resume' | 'isPaused' | 'msUntilDue' | 'total' | 'release' | 'close'> {
  /** Its changes depend on this task. Atomic in a database of SQL; Redis reads the task first. */
  guardedBy(guard: Guard): TableChanges
  /** With one statement. Missing where there is none. */
  getAll?(tasks: readonly TaskName[]): Promise<(TaskRecord | undefined)[]>
  /** Keeps the longer of two pauses. */
  pause(queue: string, ms: number): Promise<void>
  reserve(name: string, part: string, request: { amount: number; limit: number }): Promise<boolean>
}

/** Changes of a table that may come late. */
export type TableChanges = Pick<DurableTable, 'add' | 'update' | 'replay' | 'remove' | 'reserve' | 'release'>

/** The name of a part of a counter, which is a counter of its own. */
export function partName(name: string, part: string): string {
  return `${name}\u001f${part}`
}

/** A pause until `resume`: 30,000 years, which every store can add to its time. */
const UNTIL_RESUMED_MS = 1e15

/** Options of every engine. */
export interface TableEngineOptions {
  /** Interval of polls for tasks that other processes added, in milliseconds. Default 250. */
  pollMs?: number | undefined
  /** Notified when the store fails. The engine tries again by itself. Default: a warning of the process, once a minute. */
  onError?: ((error: unknown) => void) | undefined
  /** Encodes the data and results of tasks in the store, mostly to encrypt them. Default: they are stored as JSON. */
  codec?: Codec | undefined
}

const LONGEST_ID = 512

export function createTableEngine(
  table: DurableTable,
  options: TableEngineOptions = {},
  closing = new AbortController(),
): Engine {
  const { pollMs = 250, onError: report = warnOnce(), codec } = options
  const { count, isPaused, msUntilDue, total } = table
  const onError = guarded('onError', report)
  const { engine: tasks, once, wake, stop } = kit.createTaskEngine(table, { clock: kit.systemClock, pollMs, onError })
  const woken = (queue: string, isChanged: boolean) => {
    if (isChanged) wake(queue)
    return isChanged
  }
  const changesOf = (changes: TableChanges) =>
    ({
      async add(queue, id, { data, delayMs = 0 }) {
        checkName('queue', queue)
        checkName('id', id)
        await changes.add(queue, id, { data: toText(data), delayMs })
        wake(queue)
      },
      update: async (queue, id, data) => woken(queue, await changes.update(queue, id, toText(data))),
      replay: async (queue, id) => woken(queue, await changes.replay(queue, id)),
      remove: (queue, id) => changes.remove(queue, id),
      reserve: (name, part, { amount, limit = Number.POSITIVE_INFINITY }) =>
        changes.reserve(name, part, { amount, limit: Math.min(limit, Number.MAX_VALUE) }),
      release: (name, part) => changes.release(name, part),
    }) satisfies Partial<Engine>
  const engine: Engine = {
    ...tasks,
    ...changesOf(table),
    guardedBy: (guard) => ({ ...engine, ...changesOf(table.guardedBy(guard)) }),
    closed: closing.signal,
    work(queue, handler, options) {
      checkName('queue', queue)
      return tasks.work(queue, handler, options)
    },
    once,
    notify: table.notify && (() => table.notify?.()),
    getAll: (names) => table.getAll?.(names) ?? Promise.all(names.map(({ queue, id }) => table.get(queue, id))),
    ...{ count, isPaused, msUntilDue, total },
    pause: (queue) => table.pause(queue, UNTIL_RESUMED_MS),
    async resume(queue) {
      await table.resume(queue)
      wake(queue)
    },
    async close() {
      await stop()
      closing.abort(new Error('The engine is closed.'))
      await table.close()
    },
  }
  return codec === undefined ? engine : withCodec(engine, codec, onError)
}

export const TABLE_ENGINE_OPTIONS: Checks<TableEngineOptions> = {
  pollMs: kit.positive,
  onError: kit.callback,
  codec: kit.having('an object', 'encode', 'decode'),
}

export const rate = kit.must('a rate, like { max: 10, perMs: 1_000 }', (value) =>
  [kit.memberOf(value, 'max'), kit.memberOf(value, 'perMs')].every(
    (member) => typeof member === 'number' && member > 0,
  ),
)

function checkName(what: string, name: string): void {
  const isText = typeof name === 'string' && !/[\0\p{Cs}]/u.test(name)
  if (isText && name !== '' && name.length <= LONGEST_ID) return
  kit.rejectArgument(
    'a task',
    what,
    `must be a text of 1 to ${LONGEST_ID} characters, without NUL and halves of characters, not ${kit.showValue(name)}`,
  )
}

function toText(data: Json): string {
  return JSON.stringify(data) ?? kit.rejectArgument('a task', 'data', `must be JSON, not ${kit.showValue(data)}`)
}

const WARN_EVERY_MS = 60_000

/** Returns a function that warns of errors, at most once a minute. */
export function warnOnce(): (error: unknown) => void {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    warn(`The engine of @modelrun/durable met an error, and tries again: ${String(error)}`)
  }
}

/** Warns as Node does; on the console where there is no Node, such as in a Durable Object. */
export function warn(message: string): void {
  const line = kit.cleanText(message)
  if (typeof globalThis.process?.emitWarning === 'function') process.emitWarning(line)
  else console.warn(line)
}

/** Returns a callback of the user that neither throws nor rejects: what it reports continues without it. */
export function guarded<Given>(name: string, callback: (given: Given) => unknown): (given: Given) => void {
  const fail = (error: unknown) => warn(`The callback \`${name}\` of @modelrun/durable failed: ${String(error)}`)
  return (given) => kit.watch(() => callback(given), fail)
}

/** A row of `modelrun_tasks`, as the engines on SQL read it. */
type Row = Readonly<Record<string, unknown>>

export function toLockedTask(row: Row): LockedTask {
  return {
    id: String(row.id),
    data: JSON.parse(String(row.data)),
    attempts: Number(row.attempts),
    lost: Number(row.lost),
    fence: Number(row.fence),
    addedAt: Math.floor(Number(row.added_at)),
  }
}

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

export function toEndColumns(end: TaskEnd & { kind: 'done' | 'dead' }) {
  return {
    state: end.kind,
    result: end.kind === 'done' ? (end.result ?? null) : null,
    error: end.kind === 'dead' ? JSON.stringify(end.error) : null,
  }
}

/** The table that has a row for each version that was made. Tables without it are of version 1. */
export const VERSION_TABLE = 'modelrun_version'

/** What is stored is newer than this program. */
export function tooNew(version: number, known: number): ConfigurationError {
  const message = `What the engine has stored is of version ${version}: a newer @modelrun/durable has migrated it. This one knows versions up to ${known}. Update it in this program.`
  return new ConfigurationError({ message })
}
