import { rejectArgument } from '../checks.ts'
import { type Clock, startTimer } from '../clock.ts'
import { createContextCapture } from '../node-builtin.ts'
import { showValue } from '../values.ts'
import type { InboxEngine, OnceOptions, OnceResult, TaskHandler, WorkOptions } from './engine.ts'
import type { WorkerSettings } from './held-runs.ts'
import { createAloneLock, runOnce, TableWorker } from './table-worker.ts'
import { spacingOf, type TaskTable } from './task-table.ts'

export interface TaskEngineOptions {
  clock: Clock
  /** Interval of polls for tasks that other processes added, in milliseconds. */
  pollMs: number
  /** Notified when the table fails. Workers try again by themselves. */
  onError(error: unknown): void
}

/** Creates an engine on a table of tasks, and what its owner needs. The arguments have been checked. */
export function createTaskEngine(table: TaskTable, options: TaskEngineOptions) {
  const workers = new Set<TableWorker>()
  const poller = table.nextDue && createDuePoller(workers, table, options)
  /** Tasks of a queue may be due; without a queue, of all. */
  const wake = (queue?: string) => {
    for (const worker of workers) if ((queue ?? worker.queue) === worker.queue) worker.wake()
  }
  // The caller who starts a worker or wakes it is not the one whose tasks it runs.
  const inContext = createContextCapture()()
  const context = { ...options, table, aloneLock: createAloneLock(wake), inContext }
  const engine: InboxEngine = {
    setup: () => table.setup(),
    async add(queue, id, { data, delayMs = 0 }) {
      await table.add(queue, id, { data: JSON.stringify(data), delayMs })
      wake(queue)
    },
    async update(queue, id, data) {
      const isUpdated = await table.update(queue, id, JSON.stringify(data))
      if (isUpdated) wake(queue)
      return isUpdated
    },
    work(queue, handler, options = {}) {
      const worker = new TableWorker({ queue, handler, settings: settingsOf(options) }, context)
      workers.add(worker)
      if (workers.size === 1) poller?.start()
      return {
        stop: async () => {
          await worker.stop()
          workers.delete(worker)
          if (workers.size === 0) await poller?.stop()
          // Only this worker may know when its last task is due again.
          wake(queue)
        },
      }
    },
    get: (queue, id) => table.get(queue, id),
    async list(queue, state, { limit = 100, after } = {}) {
      if (after !== undefined && !CURSOR.test(after)) rejectArgument('a list', 'after', noCursor(after))
      return table.list(queue, state, { limit, after })
    },
    async replay(queue, id) {
      const isReplayed = await table.replay(queue, id)
      if (isReplayed) wake(queue)
      return isReplayed
    },
    remove: (queue, id) => table.remove(queue, id),
  }
  const lockOne = table.lockOne?.bind(table)
  /** Runs one task in this process. Rejects when the table cannot lock a task by its id. */
  const once = async (queue: string, handler: TaskHandler, given: OnceOptions): Promise<OnceResult> => {
    const { id, isEarly = false, ignoresPause = false, ...options } = given
    if (lockOne === undefined) throw new Error('This store does not lock a task by its id.')
    const work = { queue, handler, settings: settingsOf(options) }
    const result = await runOnce(work, { lockOne, id, isEarly, ignoresPause }, context)
    // Only this run may know when its task is due again.
    if (result.isRun) wake(queue)
    return result
  }
  const stop = async () => {
    await Promise.all([...workers].map((worker) => worker.stop()))
    await poller?.stop()
  }
  return { engine, once, wake, stop }
}

/** A number of a place, with the name of the list of BullMQ, which has several for a state. */
const CURSOR = /^(?:(?:active|wait|delayed):)?\d{1,18}$/

/** What is wrong with `after` of a list. */
export function noCursor(after: string): string {
  return `must be the \`cursor\` of an entry of this list, not ${showValue(after)}`
}

function settingsOf(options: WorkOptions): WorkerSettings {
  const { concurrency = 10, lockMs = 30_000, maxRunMs = 600_000, attempts = 8, backoffMs = 1_000 } = options
  const { rate, startMark = 'worker', onProcessDied } = options
  const limits = { concurrency, lockMs, maxRunMs, attempts, backoffMs, spacing: rate && spacingOf(rate) }
  return { ...limits, startMark, onProcessDied }
}

/** After this many polls without a notification, the table is asked for them again. */
const LISTEN_EVERY = 20

/**
 * Reads for all workers of an engine, with one statement, which queues have something due. Where the table notifies of new
 * tasks it polls half as often: a poll then only finds what is due later, or was never notified.
 */
function createDuePoller(workers: ReadonlySet<TableWorker>, table: TaskTable, options: TaskEngineOptions) {
  const { clock, pollMs, onError } = options
  let stopTimer = () => {}
  let unlisten: Promise<(() => Promise<void>) | undefined> = Promise.resolve(undefined)
  let isNotified = false
  let isStopped = true
  let isPolling = false
  let polls = 0
  const listen = async () => {
    await (await unlisten)?.()
    if (isStopped) return undefined
    const onNotify = () => {
      isNotified = true
      void poll()
    }
    const ended = await table.listen?.(onNotify, () => {
      isNotified = false
    })
    // A notification that arrives proves that they do: behind some proxies none does.
    if (ended !== undefined) table.notify?.()
    return ended
  }
  const listenAgain = () => {
    unlisten = listen().catch((error) => {
      onError(error)
      return undefined
    })
  }
  const plan = () => {
    stopTimer()
    if (!isStopped) stopTimer = startTimer(clock, isNotified ? 2 * pollMs : pollMs, () => void poll())
  }
  const poll = async () => {
    if (isPolling || isStopped) return
    isPolling = true
    stopTimer()
    polls += 1
    if (!isNotified && polls % LISTEN_EVERY === 0) listenAgain()
    try {
      const due = await table.nextDue?.([...new Set(Array.from(workers, ({ queue }) => queue))])
      for (const worker of workers) worker.dueIn(due?.get(worker.queue) ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      onError(error)
    }
    isPolling = false
    plan()
  }
  return {
    start: () => {
      isStopped = false
      polls = 0
      plan()
      listenAgain()
    },
    stop: async () => {
      isStopped = true
      isNotified = false
      stopTimer()
      const end = await unlisten
      unlisten = Promise.resolve(undefined)
      await end?.()
    },
  }
}
