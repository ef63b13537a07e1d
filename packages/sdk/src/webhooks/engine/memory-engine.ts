import {
  createHeap,
  createTaskEngine,
  type HeapItem,
  type InboxEngine,
  type LockedTask,
  type LockedTasks,
  type LockRequest,
  type TaskEnd,
  type TaskList,
  type TaskRecord,
  type TaskState,
  type TaskTable,
} from '@modelrun/kit'
import { type Clock, systemClock, toBackgroundClock, wallNow } from '../../shared/clock.ts'

/** A task in memory. `at` is when it is due, and `order` its position in the lists. */
interface MemoryTask extends HeapItem, Pick<TaskRecord, 'id' | 'error' | 'addedAt' | 'endedAt'> {
  state: TaskState
  /** JSON, as in a database, so that the caller cannot change it. */
  data: string
  result: string | undefined
  attempts: number
  fence: number
}

/** How many finished tasks each queue remembers. */
const MAX_FINISHED = 10_000

function createQueue() {
  return {
    /** Tasks that wait or run, in the order in which they were added. */
    open: new Map<string, MemoryTask>(),
    /** Tasks that are done or dead, in the order of their ends. */
    ended: new Map<string, MemoryTask>(),
    /** Tasks that wait, by the time when they are due. */
    waiting: createHeap<MemoryTask>(),
  }
}

type MemoryQueue = ReturnType<typeof createQueue>

/** The tasks in the memory of this process. Locks last as long as it. */
class MemoryTable implements TaskTable {
  readonly #clock: Clock
  readonly #queues = new Map<string, MemoryQueue>()
  #lastOrder = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async setup(): Promise<void> {}

  async add(name: string, id: string, { data, delayMs }: { data: string; delayMs: number }): Promise<void> {
    const queue = this.#queue(name)
    if (find(queue, id) !== undefined) return
    const addedAt = wallNow(this.#clock)
    const task: MemoryTask = {
      ...{ id, data, addedAt, state: 'waiting', result: undefined, attempts: 0, fence: 0 },
      ...{ at: this.#clock.now() + delayMs, order: this.#nextOrder(), slot: -1 },
    }
    queue.open.set(id, task)
    queue.waiting.put(task)
  }

  async update(name: string, id: string, data: string): Promise<boolean> {
    const queue = this.#queue(name)
    const task = find(queue, id)
    if (task === undefined) return false
    task.data = data
    if (task.state === 'waiting') {
      queue.waiting.remove(task)
      queue.waiting.put(Object.assign(task, { at: this.#clock.now() }))
    }
    return true
  }

  async lock({ queue: name, limit }: LockRequest): Promise<LockedTasks> {
    const { waiting } = this.#queue(name)
    const now = this.#clock.now()
    const tasks: LockedTask[] = []
    for (let task = waiting.first(); task && task.at <= now && tasks.length < limit; task = waiting.first()) {
      waiting.remove(task)
      const { id, data, attempts, fence } = Object.assign(task, { state: 'running', fence: task.fence + 1 })
      tasks.push({ id, data: JSON.parse(data), attempts, fence, lost: 0 })
    }
    const dueAt = waiting.first()?.at
    return { tasks, nextMs: dueAt && Math.max(0, dueAt - now) }
  }

  renew = allOf
  markStarted = allOf

  async end(name: string, { id }: { id: string }, end: TaskEnd): Promise<boolean> {
    const queue = this.#queue(name)
    const task = queue.open.get(id)
    if (task === undefined) return false
    const now = this.#clock.now()
    if (end.kind === 'done' || end.kind === 'dead') {
      const { kind: state, ...rest } = end
      queue.open.delete(id)
      queue.ended.set(id, Object.assign(task, rest, { state, endedAt: wallNow(this.#clock), order: this.#nextOrder() }))
      const [oldest] = queue.ended.size > MAX_FINISHED ? queue.ended.keys() : []
      if (oldest !== undefined) queue.ended.delete(oldest)
      return true
    }
    if (end.kind === 'failed') task.attempts += 1
    queue.waiting.put(Object.assign(task, { state: 'waiting', at: now + end.delayMs }))
    return true
  }

  async get(name: string, id: string): Promise<TaskRecord | undefined> {
    const task = find(this.#queue(name), id)
    return task && toRecord(task)
  }

  async list(
    name: string,
    state: TaskState,
    { limit, after = '0' }: { limit: number } & TaskList,
  ): Promise<TaskRecord[]> {
    const { open, ended } = this.#queue(name)
    const tasks = state === 'done' || state === 'dead' ? ended : open
    return [...tasks.values()]
      .filter((task) => task.state === state && task.order > Number(after))
      .slice(0, limit)
      .map(toRecord)
  }

  async replay(name: string, id: string): Promise<boolean> {
    const queue = this.#queue(name)
    const task = queue.ended.get(id)
    if (task?.state !== 'dead') return false
    queue.ended.delete(id)
    const fresh = { state: 'waiting', attempts: 0, error: undefined, endedAt: undefined } as const
    queue.open.set(id, Object.assign(task, fresh, { at: this.#clock.now(), order: this.#nextOrder() }))
    queue.waiting.put(task)
    return true
  }

  async remove(name: string, id: string): Promise<boolean> {
    const queue = this.#queue(name)
    const task = find(queue, id)
    if (task === undefined || task.state === 'running') return false
    queue.waiting.remove(task)
    return queue.open.delete(id) || queue.ended.delete(id)
  }

  #queue(name: string): MemoryQueue {
    const queue = this.#queues.get(name) ?? createQueue()
    this.#queues.set(name, queue)
    return queue
  }

  #nextOrder(): number {
    this.#lastOrder += 1
    return this.#lastOrder
  }
}

async function allOf(_: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
  return new Set(fences.keys())
}

function find({ open, ended }: MemoryQueue, id: string): MemoryTask | undefined {
  return open.get(id) ?? ended.get(id)
}

function toRecord({ id, state, data, result, error, addedAt, endedAt, order }: MemoryTask): TaskRecord {
  const values = { data: JSON.parse(data), result: result && JSON.parse(result) }
  return { id, state, ...values, error, addedAt, endedAt, cursor: String(order) }
}

/** Creates an engine in the memory of this process. Unfinished tasks are lost when the process ends. */
export function createMemoryEngine(given: Clock = systemClock): InboxEngine {
  const clock = toBackgroundClock(given)
  // Only the workers of this engine change the table, so that none has to poll it.
  const { engine } = createTaskEngine(new MemoryTable(clock), {
    clock,
    pollMs: Number.POSITIVE_INFINITY,
    onError: () => {},
  })
  // A lock ends with the process, and the memory with it.
  const lockMs = Number.POSITIVE_INFINITY
  return { ...engine, work: (queue, handler, options) => engine.work(queue, handler, { ...options, lockMs }) }
}
