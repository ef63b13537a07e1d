import {
  type Checks,
  callback,
  having,
  isRecord,
  must,
  oneOf,
  positive,
  readOptions,
  rejectArgument,
  showValue,
} from '@modelrun/kit'
import { AloneLock } from './alone-lock.ts'
import { type Codec, withCodec } from './codec.ts'
import type { Engine, Json, Rate, WorkOptions } from './engine.ts'
import { spacingOf } from './spacing.ts'
import { TableWorker, type WorkerSettings } from './table-worker.ts'
import { type TaskTable, UNTIL_RESUMED_MS } from './task-table.ts'

/** Options of every engine. */
export interface TableEngineOptions {
  /** Interval of polls for tasks that other processes added, in milliseconds. Default 250. */
  pollMs?: number | undefined
  /** Notified when the store fails. The engine tries again by itself. Default: a warning of the process, once a minute. */
  onError?: ((error: unknown) => void) | undefined
  /** Encodes the data and results of tasks in the store, mostly to encrypt them. Default: they are stored as JSON. */
  codec?: Codec | undefined
}

const DEFAULTS = { concurrency: 10, lockMs: 30_000, maxRunMs: 600_000, attempts: 8, backoffMs: 1_000 }
const LONGEST_ID = 512

/** Creates an engine on a table of tasks. */
export function createTableEngine(table: TaskTable, options: TableEngineOptions = {}): Engine {
  const { pollMs = 250, onError = warnOnce(), codec } = options
  const workers = new Set<TableWorker>()
  const context = { table, aloneLock: new AloneLock<TableWorker>(), pollMs, onError }
  const wake = (queue: string) => {
    for (const worker of workers) if (worker.queue === queue) worker.wake()
  }
  const engine: Engine = {
    setup: () => table.setup(),
    async add(queue, id, { data, delayMs = 0 }) {
      checkName('queue', queue)
      checkName('id', id)
      await table.add(queue, id, { data: textOf(data), delayMs })
      wake(queue)
    },
    work(queue, handler, given = {}) {
      const worker = new TableWorker({ queue: checkName('queue', queue), handler, settings: resolve(given) }, context)
      workers.add(worker)
      return {
        stop: async () => {
          await worker.stop()
          workers.delete(worker)
        },
      }
    },
    get: (queue, id) => table.get(queue, id),
    list: (queue, state, { limit = 100, after } = {}) => table.list(queue, state, { limit, after }),
    count: (queue) => table.count(queue),
    pause: (queue) => table.pause(queue, UNTIL_RESUMED_MS),
    async resume(queue) {
      await table.resume(queue)
      wake(queue)
    },
    isPaused: (queue) => table.isPaused(queue),
    oldestDueMs: (queue) => table.oldestDueMs(queue),
    tally: (name, amount, limit = Number.POSITIVE_INFINITY) => table.tally(name, amount, limit),
    reserve: (name, part, { amount, limit = Number.POSITIVE_INFINITY }) =>
      table.reserve(name, part, { amount, limit: Math.min(limit, Number.MAX_VALUE) }),
    release: (name, part) => table.release(name, part),
    async replay(queue, id) {
      const isReplayed = await table.replay(queue, id)
      if (isReplayed) wake(queue)
      return isReplayed
    },
    remove: (queue, id) => table.remove(queue, id),
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()))
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

function resolve(options: WorkOptions): WorkerSettings {
  const { rate, startMark = 'worker', onProcessDied, ...given } = readOptions('engine.work', options, WORK_OPTIONS)
  const spacing = rate === undefined ? undefined : spacingOf(readOptions('rate', rate, RATE))
  // `readOptions` leaves out what is undefined.
  const defined = given as { [Name in keyof typeof DEFAULTS]?: number }
  return { ...DEFAULTS, ...defined, startMark, onProcessDied, spacing }
}

function checkName(what: string, name: string): string {
  const isText = typeof name === 'string' && !/[\0\p{Cs}]/u.test(name)
  if (isText && name !== '' && name.length <= LONGEST_ID) return name
  return rejectArgument(
    'a task',
    what,
    `must be a text of 1 to ${LONGEST_ID} characters, without NUL and halves of characters, not ${showValue(name)}`,
  )
}

function textOf(data: Json): string {
  const text = JSON.stringify(data)
  if (text !== undefined) return text
  return rejectArgument('a task', 'data', `must be JSON, not ${showValue(data)}`)
}

const WARN_EVERY_MS = 60_000

/** Returns a function that warns of errors, at most once a minute. */
export function warnOnce(): (error: unknown) => void {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    process.emitWarning(`The engine of @modelrun/durable met an error, and tries again: ${String(error)}`)
  }
}
