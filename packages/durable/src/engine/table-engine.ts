import {
  type Checks,
  callback,
  createTaskEngine,
  having,
  isRecord,
  must,
  oneOf,
  positive,
  readOptions,
  rejectArgument,
  showValue,
  systemClock,
  type TaskTable,
} from '@modelrun/kit'
import { type Codec, withCodec } from './codec.ts'
import type { Engine, Json, Rate, TaskName, TaskRecord, TaskState, WorkOptions } from './engine.ts'
import { guarded, warn } from './warn.ts'

/** The tasks and counters of an engine in its database. */
export interface DurableTable extends TaskTable {
  lockOne: NonNullable<TaskTable['lockOne']>
  /** With one statement. Missing where there is none. */
  getAll?(tasks: readonly TaskName[]): Promise<(TaskRecord | undefined)[]>
  count(queue: string): Promise<Record<TaskState, number>>
  /** Keeps the longer of two pauses. */
  pause(queue: string, ms: number): Promise<void>
  resume(queue: string): Promise<void>
  isPaused(queue: string): Promise<boolean>
  msUntilDue(queue: string): Promise<number | undefined>
  total(name: string): Promise<number>
  reserve(name: string, part: string, request: { amount: number; limit: number }): Promise<boolean>
  release(name: string, part: string): Promise<void>
  close(): Promise<void>
}

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

/** Creates an engine on a table of tasks. */
export function createTableEngine(table: DurableTable, options: TableEngineOptions = {}): Engine {
  const { pollMs = 250, onError: report = warnOnce(), codec } = options
  const onError = guarded('onError', report)
  const { engine: tasks, once, wake, stop } = createTaskEngine(table, { clock: systemClock, pollMs, onError })
  const engine: Engine = {
    ...tasks,
    async add(queue, id, options) {
      checkName('queue', queue)
      checkName('id', id)
      checkData(options.data)
      await tasks.add(queue, id, options)
    },
    async update(queue, id, data) {
      checkData(data)
      return await tasks.update(queue, id, data)
    },
    work(queue, handler, given = {}) {
      checkName('queue', queue)
      return tasks.work(queue, handler, checkWork(given))
    },
    once,
    notify: table.notify && (() => table.notify?.()),
    getAll: (names) => table.getAll?.(names) ?? Promise.all(names.map(({ queue, id }) => table.get(queue, id))),
    count: (queue) => table.count(queue),
    pause: (queue) => table.pause(queue, UNTIL_RESUMED_MS),
    async resume(queue) {
      await table.resume(queue)
      wake(queue)
    },
    isPaused: (queue) => table.isPaused(queue),
    msUntilDue: (queue) => table.msUntilDue(queue),
    total: (name) => table.total(name),
    reserve: (name, part, { amount, limit = Number.POSITIVE_INFINITY }) =>
      table.reserve(name, part, { amount, limit: Math.min(limit, Number.MAX_VALUE) }),
    release: (name, part) => table.release(name, part),
    async close() {
      await stop()
      await table.close()
    },
  }
  return codec === undefined ? engine : withCodec(engine, codec, onError)
}

/** The checks of the options that every engine has. */
export const TABLE_ENGINE_OPTIONS: Checks<TableEngineOptions> = {
  pollMs: positive,
  onError: callback,
  codec: having('an object', 'encode', 'decode'),
}

/** The check of an optional rate. Its members are checked by the worker. */
export const rate = must('a rate, like { max: 10, perMs: 1_000 }', isRecord)

const RATE: Checks<Rate> = { max: positive, perMs: positive }

const WORK_OPTIONS: Checks<WorkOptions> = {
  concurrency: positive,
  lockMs: positive,
  maxRunMs: positive,
  attempts: positive,
  backoffMs: positive,
  rate,
  startMark: oneOf('worker', 'handler'),
  onProcessDied: callback,
}

function checkWork(given: WorkOptions): WorkOptions {
  const options = readOptions('engine.work', given, WORK_OPTIONS)
  if (options.rate !== undefined) readOptions('rate', options.rate, RATE)
  return options
}

function checkName(what: string, name: string): void {
  const isText = typeof name === 'string' && !/[\0\p{Cs}]/u.test(name)
  if (isText && name !== '' && name.length <= LONGEST_ID) return
  rejectArgument(
    'a task',
    what,
    `must be a text of 1 to ${LONGEST_ID} characters, without NUL and halves of characters, not ${showValue(name)}`,
  )
}

function checkData(data: Json): void {
  if (JSON.stringify(data) === undefined) rejectArgument('a task', 'data', `must be JSON, not ${showValue(data)}`)
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
