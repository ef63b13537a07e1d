import { systemClock, untilStored } from '@modelrun/kit'
import { ModelRunError } from 'modelrun'
import type { TaskRecord, TaskState } from '../engine/engine.ts'
import type { RunsContext } from './runs-context.ts'

/** Waits while the store fails. */
const BACKOFF = { clock: systemClock, firstMs: 100, maxMs: 5_000 } as const

/** Repeats a change of the store until it succeeds: nothing else knows what it stores. */
export function stored(change: () => Promise<void>, { onError }: Pick<RunsContext, 'onError'>): Promise<void> {
  return untilStored(change, { ...BACKOFF, onError })
}

/** First wait for a change of the store. */
export const FIRST_WAIT_MS = 50

/** How long a step repeats what the store did not respond to. */
const PATIENCE_MS = 2_500

/** Repeats what can be repeated without an effect, for some seconds. */
export function patiently<Value>(call: () => Promise<Value>): Promise<Value> {
  const giveUpAt = performance.now() + PATIENCE_MS
  const onError = (error: unknown) => {
    // Errors of the SDK, such as a wrong key, are not those of the store.
    if (error instanceof ModelRunError || performance.now() > giveUpAt) throw error
  }
  return untilStored(call, { clock: systemClock, firstMs: FIRST_WAIT_MS, maxMs: 500, onError })
}

/** Repeats a read. */
export type Reads = <Value>(read: () => Promise<Value>) => Promise<Value>

/**
 * Returns the reads of a loop. They are repeated while the store fails, so that the loop outlives a restart of it. A store that
 * has never responded is a mistake of the program, such as a forgotten `setup()`: then the first failure ends the loop.
 */
export function createReads({ onError }: Pick<RunsContext, 'onError'>, signal: AbortSignal | undefined): Reads {
  let hasResponded = false
  return async (read) => {
    const value = await untilStored(read, {
      ...BACKOFF,
      signal,
      onError: (error) => {
        if (!hasResponded || error instanceof ModelRunError) throw error
        onError(error)
      },
    })
    hasResponded = true
    return value
  }
}

const PAGE = 100

/** Yields the tasks of a state, page by page. */
export async function* pagesOf(
  queue: string,
  { state, after }: { state: TaskState; after?: string | undefined },
  { engine }: RunsContext,
): AsyncGenerator<TaskRecord[]> {
  for (let from = after; ; ) {
    const page = await engine.list(queue, state, { limit: PAGE, after: from })
    if (page.length === 0) return
    yield page
    from = page.at(-1)?.cursor
  }
}

/** The states of open tasks. `waiting` twice: a task may change from running to waiting in between. */
export const OPEN_STATES = ['waiting', 'running', 'waiting'] as const
