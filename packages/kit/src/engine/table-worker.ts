import { type Clock, startTimer } from '../clock.ts'
import type { AloneLock } from './alone-lock.ts'
import type { TaskHandler, Worker, WorkOptions } from './engine.ts'
import { repeatUntilStored, STORE_BACKOFF } from './repeat.ts'
import type { Spacing } from './spacing.ts'
import { type RetryLimits, RunTimeout, type TaskEnd } from './task-ends.ts'
import { TaskRun } from './task-run.ts'
import type { LockedTask, TaskTable } from './task-table.ts'

/** Resolved options of a worker. */
export interface WorkerSettings extends RetryLimits {
  concurrency: number
  lockMs: number
  maxRunMs: number
  spacing: Spacing | undefined
  startMark: 'worker' | 'handler'
  onProcessDied: WorkOptions['onProcessDied']
}

/** The parts that the workers of an engine share. */
export interface WorkerContext {
  table: TaskTable
  aloneLock: AloneLock<TableWorker>
  clock: Clock
  /** Longest time between two reads of the table, in milliseconds. */
  pollMs: number
  onError(error: unknown): void
}

/** A worker of one queue in this process. */
export class TableWorker implements Worker {
  readonly #queue: string
  readonly #handler: TaskHandler
  readonly #settings: WorkerSettings
  readonly #context: WorkerContext
  readonly #runs = new Set<TaskRun>()
  /** Number of runs whose handler has not ended yet. */
  #handling = 0
  readonly #onIdle: (() => void)[] = []
  #stopRenewing = () => {}
  #stopTimer = () => {}
  /** When the timer wakes this worker. */
  #wakeAt = 0
  /** Until then it is enough to ask the table for tasks. */
  #checkedUntil = 0
  #renewal = Promise.resolve()
  #isLocking = false
  #isWanted = false
  /** Whether more tasks may be due than the last lock could take. */
  #mayHaveMore = false
  #isStopped = false

  constructor(
    { queue, handler, settings }: { queue: string; handler: TaskHandler; settings: WorkerSettings },
    context: WorkerContext,
  ) {
    this.#queue = queue
    this.#handler = handler
    this.#settings = settings
    this.#context = context
    context.aloneLock.join(this, () => this.wake())
    this.#keepRenewing()
    this.wake()
  }

  get queue(): string {
    return this.#queue
  }

  /** A task may be due. */
  wake(): void {
    this.#isWanted = true
    if (!this.#isLocking) void this.#lockTasks()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer()
    this.#context.aloneLock.leave(this)
    while (this.#runs.size > 0 || this.#isLocking) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    this.#stopRenewing()
  }

  async #lockTasks(): Promise<void> {
    this.#isLocking = true
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false
        this.#stopTimer()
        await this.#lockOnce()
      }
    } catch (error) {
      this.#context.onError(error)
      this.#wakeIn(this.#context.pollMs)
    } finally {
      this.#isLocking = false
      this.#settleIdle()
    }
  }

  async #lockOnce(): Promise<void> {
    const { aloneLock, table, clock, pollMs } = this.#context
    const { concurrency, lockMs, spacing, startMark } = this.#settings
    const allowed = aloneLock.allows(this)
    const alone = allowed === 'suspect'
    const limit = alone ? 1 : concurrency - this.#handling
    this.#mayHaveMore = true
    if (allowed === 'none' || limit <= 0) return
    const now = clock.now()
    const held = { clock, until: now + lockMs }
    const request = { queue: this.#queue, limit, alone, lockMs, spacing, onlyTasks: !alone && now < this.#checkedUntil }
    const { tasks, nextMs, hasSuspect, died, onlyTasks = false } = await table.lock(request)
    this.#mayHaveMore = tasks.length >= limit
    const runs = tasks.map((task) => new TaskRun(task, held, async (run) => (await this.#mark([run])).has(run)))
    const marked = startMark === 'worker' ? this.#mark(runs) : undefined
    for (const run of runs) void this.#run(run, alone, marked)
    for (const task of died) this.#reportDied(task)
    if (alone && tasks.length === 0) aloneLock.release(this)
    if (hasSuspect && !alone) {
      aloneLock.request(this)
      this.#isWanted ||= aloneLock.allows(this) === 'suspect'
    }
    if (onlyTasks) return this.#wakeIn(this.#wakeAt - clock.now())
    this.#checkedUntil = now + pollMs
    this.#wakeIn(Math.min(pollMs, nextMs ?? pollMs))
  }

  async #run(run: TaskRun, alone: boolean, marked: Promise<ReadonlySet<TaskRun>> | undefined): Promise<void> {
    const { aloneLock } = this.#context
    this.#runs.add(run)
    this.#handling += 1
    aloneLock.start()
    // After a stall of the process, another one may have the task.
    const isOurs = marked === undefined ? run.isHeld : (await marked).has(run)
    const end = isOurs ? await this.#handle(run) : NOT_RUN
    this.#handling -= 1
    const stored = this.#end(run, end)
    // Locks the next tasks while the end is written: a store can write both in one transaction.
    if (end.kind === 'done' && this.#mayHaveMore) this.wake()
    await stored
    this.#runs.delete(run)
    if (alone) aloneLock.release(this)
    aloneLock.end()
    this.#settleIdle()
    // A task that runs again may be due.
    if (end.kind !== 'done') this.wake()
  }

  async #handle(run: TaskRun): Promise<TaskEnd> {
    const { maxRunMs } = this.#settings
    const stopTimer = startTimer(this.#context.clock, maxRunMs, () => run.abort(new RunTimeout(maxRunMs)))
    const end = await run.run(this.#handler, this.#settings)
    stopTimer()
    return end
  }

  /**
   * Marks runs as started, and returns those that are. Repeated while the locks hold: a mark whose response was lost must not
   * count as a lost process. Takes turns with renewals: a store may skip a row that another statement has locked.
   */
  async #mark(runs: readonly TaskRun[]): Promise<ReadonlySet<TaskRun>> {
    const { table, clock, onError } = this.#context
    const held = () => runs.filter((run) => run.isHeld)
    let marked: ReadonlySet<string> = new Set()
    const change = async () => {
      marked = await table.markStarted(this.#queue, fencesOf(held()))
    }
    const due = runs.filter((run) => run.isRenewalDue)
    if (due.length > 0) this.#renewal = Promise.all([this.#renewal, this.#renew(due)]).then(() => {})
    for (const run of runs) run.marking += 1
    await this.#renewal
    await repeatUntilStored(change, { ...STORE_BACKOFF, clock, onError, isWanted: () => held().length > 0 })
    for (const run of runs) run.marking -= 1
    return new Set(held().filter(({ task }) => marked.has(task.id)))
  }

  /** Writes the end of a run. Repeated while the lock holds, so that a short outage of the store loses no end. */
  async #end(run: TaskRun, end: TaskEnd): Promise<void> {
    const { table, clock, onError } = this.#context
    const { task, fence } = run
    const change = () => table.end(this.#queue, { id: task.id, fence }, end)
    await repeatUntilStored(change, { ...STORE_BACKOFF, clock, onError, isWanted: () => run.msLeft() > 0 })
  }

  #reportDied({ id, data, attempts, lost }: LockedTask): void {
    try {
      this.#settings.onProcessDied?.({ id, data, runs: attempts + lost })
    } catch (error) {
      this.#context.onError(error)
    }
  }

  #keepRenewing(): void {
    this.#stopRenewing = startTimer(this.#context.clock, this.#settings.lockMs / 3, () => {
      this.#keepRenewing()
      this.#renewal = this.#renew(this.#runs)
    })
  }

  async #renew(candidates: Iterable<TaskRun>): Promise<void> {
    const { lockMs } = this.#settings
    // First by the clock of this process: a store that does not respond must not delay the abort.
    for (const run of this.#runs) if (run.msLeft() === 0) run.abort(lockIsLost())
    for (const run of candidates) run.isRenewalDue = run.marking > 0
    const runs = [...candidates].filter((run) => run.msLeft() > 0 && !run.isRenewalDue)
    if (runs.length === 0) return
    const lockedUntil = this.#context.clock.now() + lockMs
    let kept: ReadonlySet<string> | undefined
    try {
      kept = await this.#context.table.renew(this.#queue, fencesOf(runs), lockMs)
    } catch (error) {
      this.#context.onError(error)
    }
    for (const run of runs) {
      if (kept?.has(run.task.id)) run.renewed(lockedUntil)
      else if (kept !== undefined) run.abort(lockIsLost())
    }
  }

  #wakeIn(wantedMs: number): void {
    const { clock } = this.#context
    this.#stopTimer()
    this.#wakeAt = clock.now() + wantedMs
    if (!this.#isStopped) this.#stopTimer = startTimer(clock, wantedMs, () => this.wake())
  }

  #settleIdle(): void {
    if (this.#runs.size === 0 && !this.#isLocking) for (const resolve of this.#onIdle.splice(0)) resolve()
  }
}

/** The end of a run whose lock was over before its handler was called. */
const NOT_RUN: TaskEnd = { kind: 'again', delayMs: 0, pausesQueue: false }

function fencesOf(runs: readonly TaskRun[]): ReadonlyMap<string, number> {
  return new Map(runs.map(({ task, fence }) => [task.id, fence]))
}

function lockIsLost(): Error {
  return new Error('The lock of the task is lost.')
}
