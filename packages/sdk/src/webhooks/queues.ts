import type { InboxEngine, Json, TaskHandler, TaskList, TaskState, Worker, WorkOptions } from '@modelrun/kit'
import { backoffMs, ConfigurationError, ModelRunError, untilStored, withTimeLimit } from '@modelrun/kit'
import { type Clock, sleep, toBackgroundClock } from '../shared/clock.ts'

export type InboxQueues = ReturnType<typeof openQueues>

/** One queue of an inbox. Its methods reject with {@link EngineError} when the engine fails. */
export type InboxQueue = InboxQueues['jobs']

/** The engine failed, for instance because its database is down. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
}

/** Returns a function that does the work once. A call after a failure does it again. */
export function untilDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}

/**
 * Opens the queues. The engine is set up at the first call.
 *
 * @param name inboxes of different names share an engine, and have queues of their own
 */
export function openQueues(engine: InboxEngine, name: string, clock: Clock) {
  const call = async <T>(use: () => Promise<T>, isSetUp = true): Promise<T> => {
    try {
      if (isSetUp) await setup()
      return await use()
    } catch (cause) {
      // An engine that cannot be set up is not a fault of the sender of a delivery; the id of a job may be one.
      if (cause instanceof EngineError || (isSetUp && cause instanceof ModelRunError)) throw cause
      throw new EngineError(`The engine of the inbox failed: ${String(cause)}`, { cause })
    }
  }
  const setup = untilDone(() => call(() => engine.setup(), false))
  const open = (kind: string) => {
    const queue = `${name}:${kind}`
    return {
      /** Adds a task. Changes nothing when the queue has the id already. The data is JSON: it was parsed from it, or is texts and numbers. */
      add: (id: string, data: object, delayMs?: number) =>
        call(() => engine.add(queue, id, { data: data as Json, delayMs })),
      /** Replaces the data of a task, and makes it due if it waits. Resolves to whether there is such a task. */
      update: (id: string, data: object) => call(() => engine.update(queue, id, data as Json)),
      get: (id: string) => call(() => engine.get(queue, id)),
      list: (state: TaskState, list?: TaskList) => call(() => engine.list(queue, state, list)),
      replay: (id: string) => call(() => engine.replay(queue, id)),
      remove: (id: string) => call(() => engine.remove(queue, id)),
      /** @param before what has to succeed before the first task is worked; repeated until then */
      work: (handler: TaskHandler, options: WorkOptions, before: () => Promise<void> = async () => {}): Worker =>
        workAfter(
          () => setup().then(before),
          () => engine.work(queue, handler, options),
          clock,
        ),
    }
  }
  return {
    /**
     * One task for each job, by job id. It waits while its delivery is expected, and a delivery makes it due. `results` on the
     * engine, as in version 0.1.0, so that results that were handled stay known.
     */
    jobs: open('results'),
    /** Runs with a callback URL, by the reference in it: until the job is known, and to know it later. `prepared` on the engine. */
    runs: open('prepared'),
    /** Another queue of version 0.1.0. */
    old: (kind: 'expected' | 'overdue' | 'unverified' | 'bindings') => open(kind),
  }
}

const EACH_SECOND = { firstMs: 1_000, maxMs: 1_000 } as const

/** Returns a worker that starts once `setup` has succeeded. While it fails, it is repeated each second. */
function workAfter(setup: () => Promise<void>, work: () => Worker, clock: Clock): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  // The caller of `add` gets the error.
  const isSetUp = untilStored(setup, { ...EACH_SECOND, clock: toBackgroundClock(clock), signal, onError: () => {} })
  const started = isSetUp.then(
    () => (signal.aborted ? undefined : work()),
    () => undefined,
  )
  return {
    stop: async () => {
      stopping.abort()
      await (await started)?.stop()
    },
  }
}

/** How long a failed write to the engine is repeated. */
const REPEAT_MS = 60_000

const ATTEMPT_MS = 2_000

const BACKOFF = { baseMs: 1_000, maxMs: 8_000 } as const

/** The parts of an inbox that a repeated write needs. */
interface WriteContext {
  options: { clock: Clock }
  background: { track<T>(work: Promise<T>): Promise<T> }
  aborting: AbortController
}

/**
 * Makes a change that nothing else would repeat, and repeats it from memory for a minute while the engine fails.
 *
 * @param make is safe to repeat
 * @param onFailure called when the change has failed for a minute
 * @returns whether the first attempt succeeded within 2 s
 * @throws ConfigurationError when the change itself is wrong
 */
export async function keepTrying(
  core: WriteContext,
  make: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  const { clock } = core.options
  const { signal } = core.aborting
  let problem: unknown
  const isMade = async () => {
    try {
      await withTimeLimit(make, { clock, limitMs: ATTEMPT_MS, name: 'The engine of the inbox' })
      return true
    } catch (error) {
      problem = error
      return false
    }
  }
  const repeat = async () => {
    const endsAt = clock.now() + REPEAT_MS
    for (let failures = 1; clock.now() < endsAt && !signal.aborted; failures++) {
      const waitMs = Math.min(backoffMs(failures, BACKOFF), endsAt - clock.now())
      await sleep(clock, waitMs, signal).catch(() => {})
      if (await isMade()) return
      if (problem instanceof ConfigurationError) break
    }
    onFailure(problem)
  }
  if (await isMade()) return true
  if (problem instanceof ConfigurationError) throw problem
  void core.background.track(repeat())
  return false
}
