import { type Clock, systemClock, toBackgroundClock } from '../../shared/clock.ts'
import type { InboxEngine, TaskRecord } from './inbox-engine.ts'
import { MemoryQueue } from './memory-queue.ts'
import type { MemoryTask } from './memory-worker.ts'

/** Options of {@link createMemoryEngine}. */
export interface MemoryEngineOptions {
  clock?: Clock | undefined
  /** Maximum number of unfinished tasks of a queue: `add` rejects further tasks. Default 100,000. */
  maxUnfinished?: number | undefined
  /** Number of finished tasks that each queue remembers. Default 10,000. */
  maxFinished?: number | undefined
}

/** Creates an engine in the memory of this process. Unfinished tasks are lost when the process ends. */
export function createMemoryEngine(options: MemoryEngineOptions = {}): InboxEngine {
  const { clock = systemClock, maxUnfinished = 100_000, maxFinished = 10_000 } = options
  const limits = { maxFinished, clock: toBackgroundClock(clock) }
  const queues = new Map<string, MemoryQueue>()
  const queueOf = (name: string): MemoryQueue => {
    const queue = queues.get(name) ?? new MemoryQueue(limits)
    queues.set(name, queue)
    return queue
  }
  return {
    setup: async () => {},
    add: async (queue, id, { data, delayMs = 0 }) => {
      const { open, isWorked } = queueOf(queue)
      if (open.size >= maxUnfinished) {
        if (isWorked) throw new Error(`The inbox holds ${maxUnfinished} unfinished tasks in memory.`)
        // No worker works this queue, so its oldest task is forgotten.
        for (const [oldest] of open) {
          queueOf(queue).remove(oldest)
          break
        }
      }
      queueOf(queue).add(id, JSON.stringify(data), delayMs)
    },
    work: (queue, handler, given) => queueOf(queue).work(handler, given),
    get: async (queue, id) => {
      const task = queueOf(queue).find(id)
      return task && toRecord(task)
    },
    list: async (queue, state, { limit = 100, after = '0' } = {}) =>
      queueOf(queue)
        .of(state)
        .filter(({ place }) => place > Number(after))
        .slice(0, limit)
        .map(toRecord),
    replay: async (queue, id) => queueOf(queue).replay(id),
    remove: async (queue, id) => queueOf(queue).remove(id),
  }
}

function toRecord({ id, state, data, result, error, addedAt, endedAt, place }: MemoryTask): TaskRecord {
  return { id, state, data: JSON.parse(data), result, error, addedAt, endedAt, cursor: String(place) }
}
