import { abortable, type Clock, startTimer, untilStored } from '../clock.ts'
import type { Task, TaskHandler, WorkOptions } from './engine.ts'
import { endOfFailure, type RetryLimits, RunTimeout, type TaskEnd } from './task-ends.ts'
import type { LockedTask, Spacing, TaskTable } from './task-table.ts'

export interface WorkerSettings extends RetryLimits {
  concurrency: number
  lockMs: number
  maxRunMs: number
  spacing: Spacing | undefined
  startMark: 'worker' | 'handler'
  onProcessDied: WorkOptions['onProcessDied']
}

export interface TableContext {
  table: TaskTable
  clock: Clock
  onError(error: unknown): void
}

export interface QueueWork {
  queue: string
  handler: TaskHandler
  settings: WorkerSettings
}

export class TaskRun {
  readonly task: Task
  /** Called once the end of the run is stored. They do not throw. */
  readonly notices: (() => void)[] = []
  marking = 0
  /** Its lock was not renewed in time, because a mark was being stored. */
  isRenewalDue = false
  /** Counted from before the request for the lock. */
  lockedUntil: number
  readonly #clock: Clock
  readonly #controller = new AbortController()

  constructor(
    { attempts, ...locked }: LockedTask,
    until: number,
    { clock, markStarted }: { clock: Clock; markStarted: (run: TaskRun) => Promise<boolean> },
  ) {
    this.lockedUntil = until
    this.#clock = clock
    this.task = {
      ...{ ...locked, attempt: attempts + 1, signal: this.#controller.signal },
      msLeft: () => this.msLeft(),
      markStarted: () => markStarted(this),
      afterEnd: (notify) => void this.notices.push(notify),
    }
  }

  /** Whether the lock holds and the handler may act, as far as this process knows. */
  get isHeld(): boolean {
    return this.msLeft() > 0 && !this.task.signal.aborted
  }

  msLeft(): number {
    return Math.max(0, this.lockedUntil - this.#clock.now())
  }

  /** Aborts the signal of the task. What the handler returns later does not count. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Runs the handler to its end, or until `abort`. */
  async run(handler: TaskHandler, limits: RetryLimits): Promise<TaskEnd> {
    const { task } = this
    try {
      // In a function, to catch what the handler throws before its first `await`, too.
      const result = await abortable((async () => handler(task))(), task.signal)
      return { kind: 'done', result: JSON.stringify(result) }
    } catch (error) {
      return endOfFailure(error, task.attempt, limits)
    }
  }
}

/** The runs of one queue whose locks this process holds and renews. */
export class HeldRuns {
  readonly #work: QueueWork
  readonly #context: TableContext
  readonly #runs = new Set<TaskRun>()
  #renewal = Promise.resolve()
  #stopTimer = () => {}

  constructor(work: QueueWork, context: TableContext) {
    this.#work = work
    this.#context = context
    this.#keepRenewing()
  }

  get size(): number {
    return this.#runs.size
  }

  /** @param until when its lock ends */
  add(task: LockedTask, until: number): TaskRun {
    const { clock } = this.#context
    const run = new TaskRun(task, until, { clock, markStarted: async (own) => (await this.mark([own])).has(own) })
    this.#runs.add(run)
    return run
  }

  delete(run: TaskRun): void {
    this.#runs.delete(run)
  }

  stopRenewing(): void {
    this.#stopTimer()
  }

  /** Runs the handler. @param marked the runs that are marked as started, when the worker marks them */
  async handle(run: TaskRun, marked: Promise<ReadonlySet<TaskRun>> | undefined): Promise<TaskEnd> {
    const { handler, settings } = this.#work
    const { maxRunMs } = settings
    // After a stall of the process, another one may have the task.
    const isOurs = marked === undefined ? run.isHeld : (await marked).has(run)
    if (!isOurs) return NOT_RUN
    const stopTimer = startTimer(this.#context.clock, maxRunMs, () => run.abort(new RunTimeout(maxRunMs)))
    const end = await run.run(handler, settings)
    stopTimer()
    return end
  }

  /**
   * Marks runs as started, and returns those that are. Repeated while the locks hold: a mark whose response was lost must not
   * count as a lost process. Takes turns with renewals: a store may skip a row that another statement has locked.
   */
  async mark(runs: readonly TaskRun[]): Promise<ReadonlySet<TaskRun>> {
    const { table, clock, onError } = this.#context
    const held = () => runs.filter((run) => run.isHeld)
    const change = async () =>
      held().length === 0 ? NO_IDS : await table.markStarted(this.#work.queue, fencesOf(held()))
    const due = runs.filter((run) => run.isRenewalDue)
    if (due.length > 0) this.#renewal = Promise.all([this.#renewal, this.#renew(due)]).then(() => {})
    for (const run of runs) run.marking += 1
    await this.#renewal
    const marked = await untilStored(change, { ...BACKOFF, clock, onError })
    for (const run of runs) run.marking -= 1
    return new Set(held().filter(({ task }) => marked.has(task.id)))
  }

  /** Writes the end of a run. Repeated while the lock holds, so that a short outage of the store loses no end. */
  async end(run: TaskRun, end: TaskEnd): Promise<void> {
    const { table, clock } = this.#context
    let mayBeStored = false
    const onError = (error: unknown) => {
      mayBeStored = true
      this.#context.onError(error)
    }
    // No other worker ends it while the lock holds: what has ended then has ended by an attempt whose response was lost.
    const change = async () => run.msLeft() > 0 && ((await table.end(this.#work.queue, run.task, end)) || mayBeStored)
    const isStored = await untilStored(change, { ...BACKOFF, clock, onError })
    if (isStored) for (const notify of run.notices) notify()
  }

  #keepRenewing(): void {
    this.#stopTimer = startTimer(this.#context.clock, this.#work.settings.lockMs / 3, () => {
      this.#keepRenewing()
      this.#renewal = this.#renew(this.#runs)
    })
  }

  async #renew(candidates: Iterable<TaskRun>): Promise<void> {
    const { lockMs } = this.#work.settings
    // First by the clock of this process: a store that does not respond must not delay the abort.
    for (const run of this.#runs) if (run.msLeft() === 0) run.abort(lockIsLost())
    for (const run of candidates) run.isRenewalDue = run.marking > 0
    const runs = [...candidates].filter((run) => run.msLeft() > 0 && !run.isRenewalDue)
    if (runs.length === 0) return
    const lockedUntil = this.#context.clock.now() + lockMs
    let kept: ReadonlySet<string> | undefined
    try {
      kept = await this.#context.table.renew(this.#work.queue, fencesOf(runs), lockMs)
    } catch (error) {
      this.#context.onError(error)
    }
    for (const run of runs) {
      if (kept?.has(run.task.id)) run.lockedUntil = lockedUntil
      else if (kept !== undefined) run.abort(lockIsLost())
    }
  }
}

/** How long a change waits that the store did not take. */
const BACKOFF = { firstMs: 50, maxMs: 2_000 } as const

const NO_IDS: ReadonlySet<string> = new Set()

/** The end of a run whose lock was over before its handler was called. */
const NOT_RUN: TaskEnd = { kind: 'again', delayMs: 0, pausesQueue: false }

function fencesOf(runs: readonly TaskRun[]): ReadonlyMap<string, number> {
  return new Map(runs.map(({ task: { id, fence } }) => [id, fence]))
}

function lockIsLost(): Error {
  return new Error('The lock of the task is lost.')
}
