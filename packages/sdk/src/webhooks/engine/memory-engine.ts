import { createTaskEngine, type InboxEngine } from '@modelrun/kit'
import { type Clock, systemClock, toBackgroundClock } from '../../shared/clock.ts'
import { type MemoryLimits, MemoryTable } from './memory-table.ts'

/** Options of {@link createMemoryEngine}. */
export interface MemoryEngineOptions extends Partial<MemoryLimits> {
  clock?: Clock | undefined
}

/** Creates an engine in the memory of this process. Unfinished tasks are lost when the process ends. */
export function createMemoryEngine(options: MemoryEngineOptions = {}): InboxEngine {
  const { maxUnfinished = 100_000, maxFinished = 10_000 } = options
  const clock = toBackgroundClock(options.clock ?? systemClock)
  const table = new MemoryTable(clock, { maxUnfinished, maxFinished })
  // Only the workers of this engine change the table, so that none has to poll it.
  const { engine } = createTaskEngine(table, { clock, pollMs: Number.POSITIVE_INFINITY, onError: () => {} })
  return {
    ...engine,
    work: (queue, handler, options) => {
      table.keepAll(queue)
      // A lock ends with the process, and the memory with it.
      return engine.work(queue, handler, { ...options, lockMs: Number.POSITIVE_INFINITY })
    },
  }
}
