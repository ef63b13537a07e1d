import { ConfigurationError } from 'modelrun'
import { AloneLock } from './alone-lock.ts'
import { type Codec, withCodec } from './codec.ts'
import type { Engine, Json, WorkOptions } from './engine.ts'
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
  checkCodec(codec)
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

function checkCodec(codec: Codec | undefined): void {
  const { encode, decode } = Object(codec)
  if (codec === undefined || (typeof encode === 'function' && typeof decode === 'function')) return
  throw new ConfigurationError({ message: 'An engine takes codec: an object with the functions encode and decode.' })
}

function resolve({ rate, startMark = 'worker', onProcessDied, ...given }: WorkOptions): WorkerSettings {
  if (startMark !== 'worker' && startMark !== 'handler') {
    throw new ConfigurationError({
      message: `work() takes startMark: 'worker' or 'handler'. It got ${String(startMark)}.`,
    })
  }
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const settings = { ...DEFAULTS, ...defined }
  for (const [name, value] of Object.entries({ ...settings, ...rate })) {
    if (!(typeof value === 'number' && value > 0)) {
      throw new ConfigurationError({ message: `work() takes ${name}: a number above 0. It got ${String(value)}.` })
    }
  }
  return { ...settings, startMark, onProcessDied, spacing: rate === undefined ? undefined : spacingOf(rate) }
}

function checkName(what: string, name: string): string {
  const isText = typeof name === 'string' && !/[\0\p{Cs}]/u.test(name)
  if (isText && name !== '' && name.length <= LONGEST_ID) return name
  const message = `The ${what} of a task is a text of 1 to ${LONGEST_ID} characters, without NUL and halves of characters. It got ${JSON.stringify(name)?.slice(0, 80)}.`
  throw new ConfigurationError({ message })
}

function textOf(data: Json): string {
  const text = JSON.stringify(data)
  if (text !== undefined) return text
  throw new ConfigurationError({ message: `The data of a task must be JSON. It got ${typeof data}.` })
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
