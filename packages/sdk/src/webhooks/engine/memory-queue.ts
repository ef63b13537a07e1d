import { type Clock, startTimer } from '../../shared/clock.ts'
import type { TaskHandler, TaskState, Worker, WorkOptions } from './inbox-engine.ts'
import { type MemoryTask, MemoryWorker, type Postponement, type TaskSource } from './memory-worker.ts'

/** Settings of all queues of an engine. */
export interface MemoryLimits {
  maxFinished: number
  clock: Clock
}

/** One queue in memory. */
export class MemoryQueue implements TaskSource {
  /** Tasks that wait or run. */
  readonly open = new Map<string, MemoryTask>()
  /** Tasks that are done or dead, in the order of their ends. */
  readonly #ended = new Map<string, MemoryTask>()
  /** Tasks that are due, in the order of their due times. */
  readonly #due = new Set<MemoryTask>()
  readonly #workers = new Set<MemoryWorker>()
  readonly #limits: MemoryLimits
  /** Whether the queue ever had a worker. */
  isWorked = false
  #lastPlace = 0
  #pausedUntil = 0

  constructor(limits: MemoryLimits) {
    this.#limits = limits
  }

  find(id: string): MemoryTask | undefined {
    return this.open.get(id) ?? this.#ended.get(id)
  }

  of(state: TaskState): MemoryTask[] {
    const tasks = state === 'done' || state === 'dead' ? this.#ended : this.open
    return [...tasks.values()].filter((task) => task.state === state)
  }

  add(id: string, data: string, delayMs: number): void {
    if (this.find(id) !== undefined) return
    const task: MemoryTask = {
      id,
      state: 'waiting',
      data,
      addedAt: this.#limits.clock.now(),
      place: this.#nextPlace(),
      attempts: 0,
      fence: 0,
      stopTimer: () => {},
    }
    this.#wait(task, delayMs)
  }

  work(handler: TaskHandler, options: WorkOptions = {}): Worker {
    const worker = new MemoryWorker(this, handler, { ...options, clock: this.#limits.clock })
    this.isWorked = true
    this.#workers.add(worker)
    worker.fill()
    return {
      stop: async () => {
        this.#workers.delete(worker)
        await worker.stop()
      },
    }
  }

  replay(id: string): boolean {
    const task = this.#ended.get(id)
    if (task?.state !== 'dead') return false
    this.#ended.delete(id)
    this.#wait(Object.assign(task, { attempts: 0, error: undefined, endedAt: undefined, place: this.#nextPlace() }), 0)
    return true
  }

  remove(id: string): boolean {
    const task = this.find(id)
    if (task === undefined || task.state === 'running') return false
    task.stopTimer()
    this.#due.delete(task)
    return this.open.delete(id) || this.#ended.delete(id)
  }

  /** Takes the task that was due first, which is running from now on. */
  take(): MemoryTask | undefined {
    if (this.#pausedUntil > this.#limits.clock.now()) return undefined
    const [task] = this.#due
    if (task === undefined) return undefined
    this.#due.delete(task)
    task.state = 'running'
    task.fence += 1
    return task
  }

  postpone(task: MemoryTask, { delayMs, isFailure, pausesQueue }: Postponement): void {
    if (isFailure) task.attempts += 1
    if (pausesQueue) {
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#limits.clock.now() + delayMs)
      startTimer(this.#limits.clock, delayMs, () => this.#wake())
    }
    this.#wait(task, delayMs)
  }

  end(task: MemoryTask, end: Pick<MemoryTask, 'state' | 'result' | 'error'>): void {
    this.open.delete(task.id)
    this.#ended.set(task.id, Object.assign(task, end, { endedAt: this.#limits.clock.now(), place: this.#nextPlace() }))
    const oldest = this.#ended.keys().next()
    if (this.#ended.size > this.#limits.maxFinished && !oldest.done) this.#ended.delete(oldest.value)
  }

  #wait(task: MemoryTask, delayMs: number): void {
    task.state = 'waiting'
    this.open.set(task.id, task)
    const isDue = () => {
      this.#due.add(task)
      this.#wake()
    }
    if (delayMs > 0) task.stopTimer = startTimer(this.#limits.clock, delayMs, isDue)
    else isDue()
  }

  #wake(): void {
    for (const worker of this.#workers) worker.fill()
  }

  #nextPlace(): number {
    this.#lastPlace += 1
    return this.#lastPlace
  }
}
