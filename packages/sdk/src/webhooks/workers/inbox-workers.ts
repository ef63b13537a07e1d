import type { DiedTask, Worker } from '@modelrun/kit'
import { AbortedError } from '../../client/errors/transport-errors.ts'
import { watch } from '../../client/observe/logger.ts'
import { linkController, sleep, startTimer, systemClock, toBackgroundClock } from '../../shared/clock.ts'
import { handleResult, reportProcessDied } from '../delivery/handle-result.ts'
import { checkExpected, OVERDUE_ATTEMPTS, pollOverdue } from '../expected/expected-jobs.ts'
import { reportPrepared } from '../expected/prepared-runs.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { DrainOptions, SweepOptions, SweepReport, WaitUntil } from '../inbox-options.ts'
import type { InboxQueue } from '../queues.ts'
import { checkUnverified, createMissingJobs, UNVERIFIED_ATTEMPTS } from '../verification/check-unverified.ts'
import { removeOldTasks } from './retention.ts'
import { WorkerActivity } from './worker-activity.ts'

/** Polls of all processes together, for unverified deliveries and for overdue jobs. */
const UNVERIFIED_RATE = { max: 5, perMs: 1_000 }
const OVERDUE_RATE = { max: 10, perMs: 1_000 }

const RETENTION_EVERY_MS = 60_000

/** A sweep ends when no task has run for this time. It is longer than a rate makes the next task wait. */
const IDLE_MS = 1_500

/** How long the work on a delivery with `waitUntil` waits for its handler to start. */
const TURN_MS = 10_000

/** How long handlers may take to stop after their signal has aborted. */
const GRACE_MS = 1_000

/** The tasks of a delivery. */
export interface DeliveryTasks {
  resultId: string
  /** Undefined for a delivery that went to the queue `results` at once. */
  unverifiedId: string | undefined
}

/** The workers of an inbox in this process. */
export class InboxWorkers {
  readonly #core: InboxCore
  readonly #activity: WorkerActivity
  readonly #missing
  #workers: Worker[] = []
  /** Sweeps and deliveries with `waitUntil` that need the workers now. */
  #users = 0
  #isStarted = false
  #stopRetention = () => {}

  constructor(core: InboxCore) {
    const { clock } = core.options
    this.#core = core
    this.#activity = new WorkerActivity(clock)
    this.#missing = createMissingJobs(clock)
  }

  /** Works all queues until `drain`. */
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

  /** Works a delivery that was just stored: with `waitUntil` this delivery alone, else everything from now on. */
  onDelivery(ids: DeliveryTasks, waitUntil: WaitUntil | undefined = this.#core.options.waitUntil): void {
    const { background, hooks } = this.#core
    if (waitUntil === undefined) {
      this.start()
      return
    }
    const work = background.track(this.#workDuring(() => this.#untilWorked(ids)))
    watch(
      () => waitUntil(work),
      (error) => hooks.warn('`waitUntil` of the inbox failed', error),
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
    const { results, unverified, expected, overdue, prepared } = core.queues
    const { concurrency, lockMs, maxRunMs, maxAttempts: attempts, backoffMs } = core.options
    const handle = this.#activity.counted((task) => handleResult(core, task))
    const check = this.#activity.counted((task) => checkUnverified(core, task, this.#missing))
    const expect = this.#activity.counted((task) => checkExpected(core, task))
    const poll = this.#activity.counted((task) => pollOverdue(core, task))
    const report = this.#activity.counted((task) => reportPrepared(core, task))
    const onProcessDied = (task: DiedTask) => void core.background.track(reportProcessDied(core, task))
    // These queues run no handler of the user, and a paid result hangs on them: their tasks run again.
    const runAgain = (queue: InboxQueue) => (task: DiedTask) =>
      void core.background.track(replayDied(core, queue, task))
    this.#workers = [
      results.work(handle, { concurrency, lockMs, maxRunMs, attempts, backoffMs, onProcessDied }),
      unverified.work(check, {
        lockMs,
        attempts: UNVERIFIED_ATTEMPTS,
        rate: UNVERIFIED_RATE,
        onProcessDied: runAgain(unverified),
      }),
      expected.work(expect, { lockMs, onProcessDied: runAgain(expected) }),
      overdue.work(poll, {
        lockMs,
        attempts: OVERDUE_ATTEMPTS,
        rate: OVERDUE_RATE,
        onProcessDied: runAgain(overdue),
      }),
      prepared.work(report, { lockMs }),
    ]
  }

  /** Works all queues while `wait` runs, and stops unless something else needs the workers. */
  async #workDuring(wait: () => Promise<void>): Promise<void> {
    this.#users += 1
    this.#work()
    try {
      await wait()
    } finally {
      this.#users -= 1
      if (this.#users === 0 && !this.#isStarted) await this.#stop()
    }
  }

  /** Resolves when the tasks of a delivery have run here, or when they did not start in time. */
  async #untilWorked({ resultId, unverifiedId }: DeliveryTasks): Promise<void> {
    const { queues, options, aborting } = this.#core
    const ended = linkController(aborting.signal)
    const timeIsUp = sleep(options.clock, TURN_MS, ended.signal).catch(() => {})
    const result = this.#activity.waitFor(resultId)
    const check = unverifiedId === undefined ? undefined : this.#activity.waitFor(unverifiedId)
    try {
      await Promise.race([check?.worked, timeIsUp])
      // `#stop` waits for a task that runs, and a task that has ended does not run again.
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
    const { hooks, background, options, stopping } = this.#core
    // Virtual time, which jumps from timer to timer, would never come to rest.
    const clock = toBackgroundClock(options.isInMemory ? systemClock : options.clock)
    const remove = async () => {
      await removeOldTasks(this.#core).catch((error: unknown) =>
        hooks.warn('the inbox could not remove old tasks', error),
      )
      if (stopping.signal.aborted) return
      this.#stopRetention = startTimer(clock, RETENTION_EVERY_MS, () => void background.track(remove()))
    }
    void background.track(remove())
  }
}

async function replayDied({ hooks }: InboxCore, queue: InboxQueue, { id }: DiedTask): Promise<void> {
  try {
    await queue.replay(id)
  } catch (error) {
    hooks.warn(`the inbox could not poll ${id} again`, error)
  }
}
