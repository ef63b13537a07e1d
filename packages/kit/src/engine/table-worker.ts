import { startTimer } from '../clock.ts'
import type { OnceResult, Worker } from './engine.ts'
import { HeldRuns, type QueueWork, type WorkerContext, type WorkerSettings } from './held-runs.ts'
import type { TaskRun } from './task-run.ts'
import type { LockedTask, LockOneRequest, TaskTable } from './task-table.ts'

/** Locks one task, and runs it to its end. Rejects when the store does not lock it. */
export async function runOnce(
  work: QueueWork,
  request: Pick<LockOneRequest, 'id' | 'isEarly'> & { lockOne: NonNullable<TaskTable['lockOne']> },
  context: WorkerContext,
): Promise<OnceResult> {
  const { lockMs, spacing, startMark } = work.settings
  const { lockOne, id, isEarly } = request
  const until = context.clock.now() + lockMs
  const locked = await lockOne({ queue: work.queue, id, lockMs, spacing, isEarly })
  if (locked.task === undefined) return { isRun: false, isRunning: locked.isRunning, waitMs: locked.waitMs }
  const held = new HeldRuns(work, context)
  const run = held.add(locked.task, until)
  const end = await held.handle(run, startMark === 'worker' ? held.mark([run]) : undefined)
  await held.end(run, end)
  held.stopRenewing()
  return { isRun: true, delayMs: 'delayMs' in end ? end.delayMs : undefined }
}

/** A worker of one queue in this process. */
export class TableWorker implements Worker {
  readonly #queue: string
  readonly #held: HeldRuns
  readonly #settings: WorkerSettings
  readonly #context: WorkerContext
  /** Number of runs whose handler has not ended yet. */
  #handling = 0
  readonly #onIdle: (() => void)[] = []
  #stopTimer = () => {}
  /** When the timer wakes this worker. */
  #wakeAt = 0
  /** Until then it is enough to ask the table for tasks. */
  #checkedUntil = 0
  #isLocking = false
  #isWanted = false
  /** Whether more tasks may be due than the last lock could take. */
  #mayHaveMore = false
  #isStopped = false

  constructor(work: QueueWork, context: WorkerContext) {
    const { queue, settings } = work
    this.#held = new HeldRuns(work, context)
    this.#queue = queue
    this.#settings = settings
    this.#context = context
    context.aloneLock.join(this, () => this.wake())
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
    while (this.#held.size > 0 || this.#isLocking) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    this.#held.stopRenewing()
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
    const request = { queue: this.#queue, limit, alone, lockMs, spacing, onlyTasks: !alone && now < this.#checkedUntil }
    const { tasks, nextMs, hasSuspect, died, onlyTasks = false } = await table.lock(request)
    this.#mayHaveMore = tasks.length >= limit
    const runs = tasks.map((task) => this.#held.add(task, now + lockMs))
    const marked = startMark === 'worker' ? this.#held.mark(runs) : undefined
    for (const run of runs) void this.#run(run, alone, marked)
    for (const task of died) this.#reportDied(task)
    if (alone && tasks.length === 0) aloneLock.release(this)
    if (hasSuspect && !alone) {
      aloneLock.request(this)
      this.#isWanted ||= aloneLock.allows(this) === 'suspect'
    }
    if (onlyTasks) return this.#plan(this.#wakeAt - clock.now())
    this.#checkedUntil = now + pollMs
    this.#plan(nextMs)
  }

  /** What is due later than the next poll is found by it. */
  #plan(nextMs: number | undefined): void {
    const { table, pollMs } = this.#context
    if (nextMs !== undefined && nextMs >= 0 && nextMs <= 2 * pollMs) this.#wakeIn(nextMs)
    else if (table.nextDue === undefined) this.#wakeIn(pollMs)
    else this.#wakeAt = 0
  }

  /** The poller of the engine calls this. */
  dueIn(ms: number): void {
    const isPlanned = this.#wakeAt >= this.#context.clock.now()
    if (this.#isLocking || isPlanned) return
    if (ms <= 0) this.wake()
    else this.#plan(ms)
  }

  async #run(run: TaskRun, alone: boolean, marked: Promise<ReadonlySet<TaskRun>> | undefined): Promise<void> {
    const { aloneLock } = this.#context
    this.#handling += 1
    aloneLock.start()
    const end = await this.#held.handle(run, marked)
    this.#handling -= 1
    const stored = this.#held.end(run, end)
    // Locks the next tasks while the end is written: a store can write both in one transaction.
    if (end.kind === 'done' && this.#mayHaveMore) this.wake()
    await stored
    this.#held.delete(run)
    if (alone) aloneLock.release(this)
    aloneLock.end()
    this.#settleIdle()
    // A task that runs again may be due.
    if (end.kind !== 'done') this.wake()
  }

  #reportDied({ id, data, attempts, lost }: LockedTask): void {
    try {
      this.#settings.onProcessDied?.({ id, data, runs: attempts + lost })
    } catch (error) {
      this.#context.onError(error)
    }
  }

  #wakeIn(wantedMs: number): void {
    const { clock } = this.#context
    this.#stopTimer()
    this.#wakeAt = clock.now() + wantedMs
    if (!this.#isStopped) this.#stopTimer = startTimer(clock, wantedMs, () => this.wake())
  }

  #settleIdle(): void {
    if (this.#held.size === 0 && !this.#isLocking) for (const resolve of this.#onIdle.splice(0)) resolve()
  }
}
