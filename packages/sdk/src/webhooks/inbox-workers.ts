import type { DiedTask, Json, Task, TaskHandler, Worker } from '@modelrun/kit'
import { isRetryAfter, printFailure, RetryAfterError, unlessAborted, watch } from '@modelrun/kit'
import { AbortedError } from '../client/errors/transport-errors.ts'
import { sleep, startTimer } from '../shared/clock.ts'
import { reportRun } from './callback-runs.ts'
import type { InboxCore } from './inbox-core.ts'
import type { DrainOptions, SweepOptions, SweepReport, WaitUntil } from './inbox-options.ts'
import { EngineError, untilDone } from './queues.ts'
import { moveOldTasks, removeOldTasks } from './retention.ts'
import { reportProcessDied, workJob } from './work-job.ts'

const RETENTION_EVERY_MS = 60_000

/** A sweep, or a delivery with `waitUntil`, ends when no task has run for this time. */
const IDLE_MS = 1_500
const CHECK_MS = 100

/** How long a delivery with `waitUntil` works what is due. Handlers that run then are waited for. */
const DELIVERY_MS = 10_000

/** How long handlers may take to stop after their signal has aborted. */
const GRACE_MS = 1_000

/** Wait of a task after an outage of the engine. */
const OUTAGE_MS = 2_000

export class InboxWorkers {
  readonly #core: InboxCore
  #running = 0
  #lastEndAt = 0
  /** Tasks that ran in this process, and were ready. */
  #worked = 0
  #workers: Worker[] = []
  /** Sweeps and deliveries with `waitUntil` that use the workers now. */
  #users = 0
  #isStarted = false
  #stopRetention = () => {}
  /** Before the first job is worked, so that the jobs of version 0.1.0 have their contexts. */
  readonly #moveFirst: () => Promise<void>

  constructor(core: InboxCore) {
    this.#core = core
    this.#moveFirst = untilDone(() => moveOldTasks(core))
  }

  /** Works all queues until `drain`. */
  start(): void {
    if (this.#isStarted || this.#core.stopping.signal.aborted) return
    this.#isStarted = true
    this.#work()
    this.#keepCleaning()
  }

  /** Works everything that is due, and stops. */
  async sweep({ forMs = 20_000, signal }: SweepOptions): Promise<SweepReport> {
    const sweep = async () => {
      const before = this.#worked
      await this.#workUntilIdle(forMs, signal)
      await this.#clean(() => removeOldTasks(this.#core))
      return { worked: this.#worked - before }
    }
    return await unlessAborted(sweep, signal, (cause) => {
      throw new AbortedError({ message: 'The sweep was aborted. The same call continues its work.', cause })
    })
  }

  /** Works a delivery that was just stored, and what else is due: with `waitUntil` until nothing is, else from now on. */
  onDelivery(waitUntil: WaitUntil | undefined): void {
    const { background } = this.#core
    if (waitUntil === undefined) {
      this.start()
      return
    }
    const work = background.track(this.#workUntilIdle(DELIVERY_MS))
    watch(
      () => waitUntil(work),
      (error) => printFailure('warn', '`waitUntil` of the inbox failed', error),
    )
  }

  /** Takes no more work, and waits for what runs. Other processes do the rest, or this one after its restart. */
  async drain({ timeoutMs }: DrainOptions): Promise<void> {
    const { stopping, aborting, background, subscribers, options } = this.#core
    const reason = new AbortedError({ message: 'The inbox is drained: it takes no more work.' })
    stopping.abort(reason)
    let stopTimer = () => {}
    const isAbandoned = new Promise<void>((resolve) => {
      if (timeoutMs === undefined) return
      stopTimer = startTimer(options.clock, timeoutMs, () => {
        aborting.abort(reason)
        stopTimer = startTimer(options.clock, GRACE_MS, resolve)
      })
    })
    await Promise.race([this.#stop().then(() => background.whenIdle()), isAbandoned])
    stopTimer()
    subscribers.close(reason)
  }

  /** Starts no further task, and resolves when the running tasks have ended. */
  async #stop(): Promise<void> {
    this.#stopRetention()
    const workers = this.#workers
    this.#workers = []
    await Promise.all(workers.map((worker) => worker.stop()))
  }

  #work(): void {
    const core = this.#core
    if (this.#workers.length > 0 || core.stopping.signal.aborted) return
    const { jobs, runs } = core.queues
    const { concurrency, lockMs, maxRunMs, maxAttempts: attempts, backoffMs } = core.options
    const onProcessDied = (task: DiedTask) => void core.background.track(reportProcessDied(core, task))
    // A poll that ends its process is repeated: only runs of the user's handler count.
    const limits = { concurrency, lockMs, maxRunMs, attempts, backoffMs, startMark: 'handler', onProcessDied } as const
    this.#workers = [
      jobs.work(
        this.#counted((task) => workJob(core, task)),
        limits,
        this.#moveFirst,
      ),
      runs.work(
        this.#counted((task) => reportRun(core, task)),
        { lockMs },
      ),
    ]
  }

  /** Works all queues until no task has run for a moment, and stops unless something else needs the workers. */
  async #workUntilIdle(forMs: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#core.options
    const stopping = this.#core.stopping.signal
    const startedAt = clock.now()
    const isIdle = () => this.#running === 0 && clock.now() - Math.max(startedAt, this.#lastEndAt) >= IDLE_MS
    this.#users += 1
    this.#work()
    while (clock.now() - startedAt < forMs && !isIdle() && !stopping.aborted && !signal?.aborted) {
      await sleep(clock, CHECK_MS, stopping).catch(() => {})
    }
    this.#users -= 1
    if (this.#users === 0 && !this.#isStarted) await this.#stop()
  }

  #counted(work: (task: Task) => Promise<Json | undefined>): TaskHandler {
    return async (task) => {
      let isLater = false
      this.#running += 1
      try {
        return await work(task)
      } catch (error) {
        isLater = isRetryAfter(error)
        // An outage of the database is not a failed attempt of the task.
        throw error instanceof EngineError ? new RetryAfterError(OUTAGE_MS) : error
      } finally {
        this.#running -= 1
        this.#lastEndAt = this.#core.options.clock.now()
        if (!isLater) this.#worked += 1
      }
    }
  }

  /** What cannot be removed now is removed later. */
  #clean(remove: () => Promise<void>): Promise<void> {
    return remove().catch((error: unknown) => printFailure('warn', 'the inbox could not remove old tasks', error))
  }

  #keepCleaning(): void {
    const { background, options, stopping } = this.#core
    const clean = async () => {
      await this.#clean(() => moveOldTasks(this.#core).then(() => removeOldTasks(this.#core)))
      if (stopping.signal.aborted) return
      this.#stopRetention = startTimer(
        options.backgroundClock,
        RETENTION_EVERY_MS,
        () => void background.track(clean()),
      )
    }
    void background.track(clean())
  }
}
