import { linkController, sleep } from '../../abort.ts'
import { startTimer } from '../../clock.ts'
import { toBackgroundClock } from './background-clock.ts'
import type { Worker } from '../engine/inbox-engine.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { WaitUntil } from '../inbox-options.ts'
import { checkExpected } from '../expected/check-expected.ts'
import { checkUnverified, UNVERIFIED_ATTEMPTS } from '../verification/check-unverified.ts'
import { handleResult } from '../delivery/handle-result.ts'
import { OVERDUE_ATTEMPTS, pollOverdue } from '../expected/poll-overdue.ts'
import { reportPrepared } from '../expected/report-prepared.ts'
import { removeOldTasks } from './retention.ts'
import { createMissingJobs } from '../verification/missing-jobs.ts'
import { WorkerActivity } from './worker-activity.ts'

/** Polls for deliveries that anybody may have sent, and of jobs whose delivery is overdue, over all processes. */
const UNVERIFIED_RATE = { max: 5, perMs: 1_000 }
const OVERDUE_RATE = { max: 10, perMs: 1_000 }

const RETENTION_EVERY_MS = 60_000

/** A sweep ends when nothing ran for so long: longer than a full rate lets the next task wait. */
const IDLE_MS = 1_500

/** How long a delivery with `waitUntil` waits for its turn. Its handler may take longer: it is waited for. */
const TURN_MS = 10_000

/** The tasks of a delivery. */
export interface DeliveryTasks {
  resultId: string
  /** Undefined when the delivery was vouched for. */
  unverifiedId: string | undefined
}

/** Options of `sweep`. */
export interface SweepOptions {
  /** The longest time that a sweep takes, in milliseconds; handlers that run then are waited for. Default 20,000. */
  forMs?: number | undefined
}

/** What a sweep did. */
export interface SweepReport {
  /** Tasks that were worked: results, polls, checks of deliveries. */
  worked: number
}

/** The workers of an inbox in this process. */
export class InboxWorkers {
  readonly #core: InboxCore
  readonly #activity: WorkerActivity
  readonly #missing
  #workers: Worker[] = []
  /** Sweeps, and deliveries with `waitUntil`, that need the workers now. */
  #users = 0
  #isStarted = false
  #stopRetention = () => {}

  constructor(core: InboxCore) {
    const { clock } = core.options
    this.#core = core
    this.#activity = new WorkerActivity(clock)
    this.#missing = createMissingJobs(clock)
  }

  /** Works everything from now on. */
  start(): void {
    if (this.#isStarted || this.#core.stopping.signal.aborted) return
    this.#isStarted = true
    this.#work()
    this.#keepRemovingOldTasks()
  }

  /** Works everything that is due, and stops. */
  async sweep({ forMs = 20_000 }: SweepOptions): Promise<SweepReport> {
    const before = this.#activity.worked
    await this.#workDuring(async () => {
      await this.#activity.untilIdle({ idleMs: IDLE_MS, forMs }, this.#core.stopping.signal)
      await removeOldTasks(this.#core)
    })
    return { worked: this.#activity.worked - before }
  }

  /** Works the delivery that was just stored. */
  onDelivery(ids: DeliveryTasks, waitUntil: WaitUntil | undefined = this.#core.options.waitUntil): void {
    const { tasks, hooks } = this.#core
    if (waitUntil === undefined) {
      this.start()
      return
    }
    const work = tasks.track(this.#workDuring(() => this.#untilWorked(ids)))
    try {
      waitUntil(work)
    } catch (error) {
      hooks.warn('`waitUntil` of the inbox failed', error)
    }
  }

  /** Starts no further task, and resolves when those that run have ended. */
  async stop(): Promise<void> {
    this.#stopRetention()
    const workers = this.#workers
    this.#workers = []
    await Promise.all(workers.map((worker) => worker.stop()))
  }

  #work(): void {
    if (this.#workers.length > 0 || this.#core.stopping.signal.aborted) return
    const { queues, options } = this.#core
    const { concurrency, lockMs, maxRunMs, maxAttempts: attempts, backoffMs } = options
    const handle = this.#activity.counted((task) => handleResult(this.#core, task))
    const check = this.#activity.counted((task) => checkUnverified(this.#core, task, this.#missing))
    const expect = this.#activity.counted((task) => checkExpected(this.#core, task))
    const poll = this.#activity.counted((task) => pollOverdue(this.#core, task))
    const report = this.#activity.counted((task) => reportPrepared(this.#core, task))
    this.#workers = [
      queues.results.work(handle, { concurrency, lockMs, maxRunMs, attempts, backoffMs }),
      queues.unverified.work(check, { lockMs, attempts: UNVERIFIED_ATTEMPTS, rate: UNVERIFIED_RATE }),
      queues.expected.work(expect, { lockMs }),
      queues.overdue.work(poll, { lockMs, attempts: OVERDUE_ATTEMPTS, rate: OVERDUE_RATE }),
      queues.prepared.work(report, { lockMs }),
    ]
  }

  /** Works while something goes on, and stops when nothing else needs the workers. */
  async #workDuring(work: () => Promise<void>): Promise<void> {
    this.#users += 1
    this.#work()
    try {
      await work()
    } finally {
      this.#users -= 1
      if (this.#users === 0 && !this.#isStarted) await this.stop()
    }
  }

  async #untilWorked({ resultId, unverifiedId }: DeliveryTasks): Promise<void> {
    const { queues, options, aborting } = this.#core
    const ended = linkController(aborting.signal)
    const timeIsUp = sleep(options.clock, TURN_MS, ended.signal).catch(() => {})
    const result = this.#activity.waitFor(resultId)
    const check = unverifiedId === undefined ? undefined : this.#activity.waitFor(unverifiedId)
    try {
      await Promise.race([check?.worked, timeIsUp])
      // What runs here is waited for when the workers stop; what has ended does not run again.
      const task = await queues.results.get(resultId).catch(() => undefined)
      if (task?.state === 'waiting') await Promise.race([result.worked, timeIsUp])
    } finally {
      result.stop()
      check?.stop()
      ended.abort(undefined)
      ended.release()
    }
  }

  #keepRemovingOldTasks(): void {
    const { hooks, tasks, options, stopping } = this.#core
    const clock = toBackgroundClock(options.clock)
    const remove = async () => {
      await removeOldTasks(this.#core).catch((error: unknown) =>
        hooks.warn('the inbox could not remove old tasks', error),
      )
      if (stopping.signal.aborted) return
      this.#stopRetention = startTimer(clock, RETENTION_EVERY_MS, () => void tasks.track(remove()))
    }
    void tasks.track(remove())
  }
}
