import { type Clock, startTimer } from '../clock.ts'
import { isModelRunError } from '../errors/guards.ts'
import { toBackgroundClock } from './workers/background-clock.ts'
import type {
  InboxEngine,
  Json,
  TaskHandler,
  TaskList,
  TaskRecord,
  TaskState,
  Worker,
  WorkOptions,
} from './engine/inbox-engine.ts'

/** One queue of an inbox. */
export interface InboxQueue {
  /** Adds a task. Nothing changes when the queue holds the id already. */
  add(id: string, data: object, delayMs?: number): Promise<void>
  get(id: string): Promise<TaskRecord | undefined>
  list(state: TaskState, list?: TaskList): Promise<TaskRecord[]>
  replay(id: string): Promise<boolean>
  remove(id: string): Promise<boolean>
  work(handler: TaskHandler, options: WorkOptions): Worker
}

/** The queues of an inbox on its engine. */
export interface InboxQueues {
  /** Results to handle, by job. Deliveries and polls add to it: the first one counts. */
  results: InboxQueue
  /** Deliveries that anybody may have sent, each with an id of its own. */
  unverified: InboxQueue
  /** Jobs whose delivery is to come, by job. */
  expected: InboxQueue
  /** Expected jobs whose delivery did not come in time, by job. They are polled. */
  overdue: InboxQueue
  /** Runs that are about to be sent, by the reference in their callback URL. */
  prepared: InboxQueue
  /** Which job a callback URL belongs to, by reference. Nothing works this queue. */
  bindings: InboxQueue
}

/** The engine failed, for instance because its database is away. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
}

/** @param name inboxes of different names share an engine and do not see each other */
export function openQueues(engine: InboxEngine, name: string, clock: Clock): InboxQueues {
  let settingUp: Promise<void> | undefined
  const setup = (): Promise<void> => {
    settingUp ??= engine.setup().catch((error: unknown) => {
      settingUp = undefined
      throw error
    })
    return settingUp
  }
  const call = async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      await setup()
      return await use()
    } catch (cause) {
      if (isModelRunError(cause)) throw cause
      throw new EngineError(`The engine of the inbox failed: ${String(cause)}`, { cause })
    }
  }
  const open = (kind: string): InboxQueue => {
    const queue = `${name}:${kind}`
    return {
      // What an inbox stores is JSON: it came as JSON, or consists of texts and numbers.
      add: (id, data, delayMs) => call(() => engine.add(queue, id, { data: data as Json, delayMs })),
      get: (id) => call(() => engine.get(queue, id)),
      list: (state, list) => call(() => engine.list(queue, state, list)),
      replay: (id) => call(() => engine.replay(queue, id)),
      remove: (id) => call(() => engine.remove(queue, id)),
      work: (handler, options) => workAfter(setup, () => engine.work(queue, handler, options), clock),
    }
  }
  return {
    results: open('results'),
    unverified: open('unverified'),
    expected: open('expected'),
    overdue: open('overdue'),
    prepared: open('prepared'),
    bindings: open('bindings'),
  }
}

const SETUP_RETRY_MS = 1_000

/** A worker that starts when the engine is set up. */
function workAfter(setup: () => Promise<void>, start: () => Worker, clock: Clock): Worker {
  let isStopped = false
  let worker: Worker | undefined
  let stopTimer = () => {}
  const startWorker = async (): Promise<void> => {
    try {
      await setup()
      if (!isStopped) worker = start()
    } catch {
      // The error goes to the caller that adds a task. A worker waits for the engine.
      if (!isStopped) stopTimer = startTimer(toBackgroundClock(clock), SETUP_RETRY_MS, () => void startWorker())
    }
  }
  const started = startWorker()
  return {
    stop: async () => {
      isStopped = true
      stopTimer()
      await started
      await worker?.stop()
    },
  }
}
