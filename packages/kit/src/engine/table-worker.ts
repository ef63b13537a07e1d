import { startTimer } from '../clock.ts'
import type { OnceResult, Worker } from './engine.ts'
import { HeldRuns, type QueueWork, type TableContext, type TaskRun } from './held-runs.ts'
import type { TaskEnd } from './task-ends.ts'
import { type LockOneRequest, POISON_AFTER, PROCESS_DIED, SUSPECT_AFTER, type TaskTable } from './task-table.ts'

interface WorkerContext extends TableContext {
  aloneLock: ReturnType<typeof createAloneLock>
  /** Longest time between two reads of the table, in milliseconds. */
  pollMs: number
  /** Does work in the async context in which the engine was created. */
  inContext<T>(work: () => T): T
}

/** Locks one task, and runs it to its end. Rejects when the store does not lock it. */
export async function runOnce(
  work: QueueWork,
  request: Pick<LockOneRequest, 'id' | 'isEarly' | 'ignoresPause'> & { lockOne: NonNullable<TaskTable['lockOne']> },
  context: TableContext,
): Promise<OnceResult> {
  const { lockMs, spacing, startMark } = work.settings
  const { lockOne, ...wanted } = request
  const until = context.clock.now() + lockMs
  const locked = await lockOne({ queue: work.queue, lockMs, spacing, ...wanted })
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
  readonly #held: HeldRuns
  readonly #work: QueueWork
  readonly #context: WorkerContext
  /** Number of runs whose handler has not ended yet. */
  #handling = 0
  readonly #onIdle: (() => void)[] = []
  #stopTimer = () => {}
  /** When the timer wakes this worker. */
  #wakeAt = 0
  #isLocking = false
  #isWanted = false
  /** Whether more tasks may be due than the last lock could take. */
  #mayHaveMore = false
  #isStopped = false

  constructor(work: QueueWork, context: WorkerContext) {
    this.#held = new HeldRuns(work, context)
    this.#work = work
    this.#context = context
    this.wake()
  }

  get queue(): string {
    return this.#work.queue
  }

  /** A task may be due. */
  wake(): void {
    this.#isWanted = true
    if (!this.#isLocking) void this.#context.inContext(() => this.#lockTasks())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer()
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
    const { aloneLock, table, clock } = this.#context
    const { concurrency, lockMs, spacing, startMark } = this.#work.settings
    const free = concurrency - this.#handling
    this.#mayHaveMore = true
    if (!aloneLock.isFree() || free <= 0) return
    // With a rate, one task at a time: each start is taken with its lock.
    const limit = spacing === undefined ? free : 1
    const lockedUntil = clock.now() + lockMs
    const { tasks, nextMs } = await table.lock({ queue: this.queue, limit, lockMs, spacing })
    this.#mayHaveMore = tasks.length >= limit
    const runs = tasks.map((task) => this.#held.add(task, lockedUntil))
    const others = runs.filter(({ task }) => task.lost < SUSPECT_AFTER)
    const marked = startMark === 'worker' ? this.#held.mark(others) : undefined
    for (const run of runs) void this.#run(run, marked)
    this.#plan(nextMs ?? (tasks.length > 0 ? this.#wakeAt - clock.now() : undefined))
  }

  /** What is due later than the next poll is found by it. */
  #plan(nextMs: number | undefined): void {
    const { table, pollMs } = this.#context
    if (nextMs === 0) this.#isWanted = true
    else if (nextMs !== undefined && nextMs > 0 && nextMs <= 2 * pollMs) this.#wakeIn(nextMs)
    else if (table.nextDue === undefined) this.#wakeIn(pollMs)
    else this.#wakeAt = 0
  }

  /** The poller of the engine calls this: the next task of the queue can be locked after this time. */
  dueIn(ms: number): void {
    const isPlanned = this.#wakeAt >= this.#context.clock.now()
    if (this.#isLocking || isPlanned) return
    if (ms <= 0) this.wake()
    else this.#plan(ms)
  }

  async #run(run: TaskRun, marked: Promise<ReadonlySet<TaskRun>> | undefined): Promise<void> {
    this.#handling += 1
    const end = run.task.lost >= POISON_AFTER ? POISONED : await this.#handle(run, marked)
    this.#handling -= 1
    const stored = this.#held.end(run, end)
    // Locks the next tasks while the end is written: a store can write both in one transaction.
    if (end.kind === 'done' && this.#mayHaveMore) this.wake()
    await stored
    if (end === POISONED) this.#reportDied(run)
    this.#held.delete(run)
    this.#settleIdle()
    // A task that runs again may be due.
    if (end.kind !== 'done') this.wake()
  }

  async #handle(run: TaskRun, marked: Promise<ReadonlySet<TaskRun>> | undefined): Promise<TaskEnd> {
    const { aloneLock } = this.#context
    const isSuspect = run.task.lost >= SUSPECT_AFTER
    if (isSuspect) await aloneLock.startAlone()
    else aloneLock.start()
    // A suspect that waits has had no effects yet.
    const end = await this.#held.handle(run, isSuspect && marked !== undefined ? this.#held.mark([run]) : marked)
    aloneLock.end()
    return end
  }

  #reportDied({ task: { id, data, attempt, lost } }: TaskRun): void {
    try {
      this.#work.settings.onProcessDied?.({ id, data, runs: attempt - 1 + lost })
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

const POISONED: TaskEnd = { kind: 'dead', error: PROCESS_DIED }

/**
 * Lets a suspect, which has lost its process twice, run alone in this process, so that it takes no other task with it if it ends
 * the process again. While one waits or runs, no worker of the engine locks further tasks.
 *
 * @param onFree called when tasks may be locked again
 */
export function createAloneLock(onFree: () => void) {
  let running = 0
  let isAlone = false
  /** Start the suspects that wait, oldest first. */
  const suspects: (() => void)[] = []
  const startNext = () => {
    if (running > 0) return
    const wasAlone = isAlone
    const start = suspects.shift()
    isAlone = start !== undefined
    if (start !== undefined) {
      running = 1
      start()
    } else if (wasAlone) onFree()
  }
  return {
    /** Whether further tasks may be locked. */
    isFree: () => !isAlone && suspects.length === 0,
    start: () => {
      running += 1
    },
    /** A suspect starts. Resolves once all other tasks have ended. */
    startAlone: () =>
      new Promise<void>((resolve) => {
        suspects.push(resolve)
        startNext()
      }),
    end: () => {
      running -= 1
      startNext()
    },
  }
}
