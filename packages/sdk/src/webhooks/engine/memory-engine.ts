import type { HeapItem, InboxEngine, LockedTask, LockedTasks, TaskRecord, TaskState, TaskTable } from '@modelrun/kit'
import { createHeap, createTaskEngine, NewestMap } from '@modelrun/kit'
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
    ended: new NewestMap<string, MemoryTask>(MAX_FINISHED),
    /** Tasks that wait, by the time when they are due. */
    waiting: createHeap<MemoryTask>(),
  }
}

type MemoryQueue = ReturnType<typeof createQueue>

function createQueues() {
  const queues = new Map<string, MemoryQueue>()
  return (name: string) => {
    const queue = queues.get(name) ?? createQueue()
    queues.set(name, queue)
    return queue
  }
}

/** The tasks in the memory of this process. Locks last as long as it. */
function createMemoryTable(clock: Clock): TaskTable {
  const queueOf = createQueues()
  let lastOrder = 0
  const nextOrder = () => ++lastOrder
  return {
    setup: async () => {},
    async add(name, id, { data, delayMs }) {
      const queue = queueOf(name)
      if (find(queue, id) !== undefined) return
      const task: MemoryTask = {
        ...{ id, data, addedAt: wallNow(clock), state: 'waiting', result: undefined, attempts: 0, fence: 0 },
        ...{ at: clock.now() + delayMs, order: nextOrder(), slot: -1 },
      }
      queue.open.set(id, task)
      queue.waiting.put(task)
    },
    async update(name, id, data) {
      const { waiting, ...queue } = queueOf(name)
      const task = find(queue, id)
      if (task === undefined) return false
      task.data = data
      if (task.state === 'waiting') waiting.put(Object.assign(task, { at: clock.now() }))
      return true
    },
    lock: async ({ queue, limit }) => lockDue(queueOf(queue), limit, clock.now()),
    renew: allOf,
    markStarted: allOf,
    async end(name, { id }, end) {
      const queue = queueOf(name)
      const task = queue.open.get(id)
      if (task === undefined) return false
      if (end.kind === 'done' || end.kind === 'dead') {
        const { kind: state, ...rest } = end
        queue.open.delete(id)
        queue.ended.set(id, Object.assign(task, rest, { state, endedAt: wallNow(clock), order: nextOrder() }))
        return true
      }
      if (end.kind === 'failed') task.attempts += 1
      queue.waiting.put(Object.assign(task, { state: 'waiting', at: clock.now() + end.delayMs }))
      return true
    },
    async get(name, id) {
      const task = find(queueOf(name), id)
      return task && toRecord(task)
    },
    async list(name, state, { limit, after = '0' }) {
      const { open, ended } = queueOf(name)
      const tasks = [...(state === 'done' || state === 'dead' ? ended : open).values()]
      return tasks
        .filter((task) => task.state === state && task.order > Number(after))
        .slice(0, limit)
        .map(toRecord)
    },
    async replay(name, id) {
      const { open, ended, waiting } = queueOf(name)
      const task = ended.get(id)
      if (task?.state !== 'dead') return false
      ended.delete(id)
      const fresh = { state: 'waiting', attempts: 0, error: undefined, endedAt: undefined } as const
      open.set(id, Object.assign(task, fresh, { at: clock.now(), order: nextOrder() }))
      waiting.put(task)
      return true
    },
    async remove(name, id) {
      const { waiting, ...queue } = queueOf(name)
      const task = find(queue, id)
      if (task === undefined || task.state === 'running') return false
      waiting.remove(task)
      return queue.open.delete(id) || queue.ended.delete(id)
    },
  }
}

function lockDue({ waiting }: MemoryQueue, limit: number, now: number): LockedTasks {
  const tasks: LockedTask[] = []
  for (let task = waiting.first(); task && task.at <= now && tasks.length < limit; task = waiting.first()) {
    waiting.remove(task)
    const { id, data, attempts, fence } = Object.assign(task, { state: 'running', fence: task.fence + 1 })
    tasks.push({ id, data: JSON.parse(data), attempts, fence, lost: 0 })
  }
  const dueAt = waiting.first()?.at
  return { tasks, nextMs: dueAt && Math.max(0, dueAt - now) }
}

async function allOf(_: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>> {
  return new Set(fences.keys())
}

function find({ open, ended }: Pick<MemoryQueue, 'open' | 'ended'>, id: string): MemoryTask | undefined {
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
  const { engine } = createTaskEngine(createMemoryTable(clock), {
    clock,
    pollMs: Number.POSITIVE_INFINITY,
    onError: () => {},
  })
  // A lock ends with the process, and the memory with it.
  const lockMs = Number.POSITIVE_INFINITY
  return { ...engine, work: (queue, handler, options) => engine.work(queue, handler, { ...options, lockMs }) }
}
