import { PROCESS_DIED, stringIn, systemClock } from '@modelrun/kit'
import type { DiedTask, Json, Rate, Task, TaskHandler, Worker, WorkOptions } from '../engine/engine.ts'
import { Outage } from './pauses.ts'
import { POLL_ATTEMPTS, PollDelays, pollRun } from './poll-run.ts'
import { freePlace, type RunsContext, reportEnd } from './runs-context.ts'
import { Prices, submitRun } from './submit-run.ts'

/** The queues that are worked. */
export type WorkedQueue = 'submit' | 'poll'

/** What `send`, `read` and the workers of a batch share. */
export interface StepParts {
  context: RunsContext
  /** Works a task of each queue. */
  handlers: Record<WorkedQueue, (task: Task, context: RunsContext) => Promise<Json | undefined>>
  /** Options of the workers of each queue. */
  options: Record<WorkedQueue, WorkOptions>
  work(name: WorkedQueue): Worker
  /** Whether a worker of this process runs a task. */
  isRunning(): boolean
}

const POLL_RATE: Rate = { max: 10, perMs: 1_000 }
const POLLS_AT_ONCE = 32

/** The options of a batch that limit its workers. */
interface Limits extends Pick<WorkOptions, 'concurrency' | 'lockMs'> {
  submitRate?: Rate | undefined
  pollRate?: Rate | undefined
}

/** Creates what works the tasks of a batch. */
export function createStepParts(
  context: RunsContext,
  { concurrency = 10, submitRate, pollRate = POLL_RATE, lockMs }: Limits,
): StepParts {
  const { client, engine, queues } = context
  const prices = new Prices(client)
  const delays = new PollDelays()
  const outage = new Outage(systemClock)
  const onProcessDied = ({ id, data }: DiedTask) => {
    reportEnd(id, { state: 'unknown', jobId: stringIn(data, 'jobId'), error: PROCESS_DIED }, context)
    freePlace(id, context).catch(context.onError)
  }
  const handlers: StepParts['handlers'] = {
    submit: (task, context) => submitRun(task, prices, context),
    poll: (task, context) => pollRun(task, delays, context),
  }
  const options: StepParts['options'] = {
    submit: { concurrency, rate: submitRate, lockMs, startMark: 'handler', onProcessDied },
    poll: { concurrency: POLLS_AT_ONCE, rate: pollRate, lockMs, attempts: POLL_ATTEMPTS + 1, onProcessDied },
  }
  let running = 0
  const work = (name: WorkedQueue) => {
    const stopping = new AbortController()
    const handle: TaskHandler = (task) => handlers[name]({ ...task, signal: stopping.signal }, context)
    const counted: TaskHandler = async (task) => {
      running += 1
      try {
        return await (name === 'submit' ? outage.guard(() => handle(task)) : handle(task))
      } finally {
        running -= 1
      }
    }
    const worker = engine.work(queues[name], counted, options[name])
    const stop = () => {
      // Polls end at once. A run that is being sent ignores it.
      stopping.abort()
      return worker.stop()
    }
    return { stop }
  }
  return { context, handlers, options, work, isRunning: () => running > 0 }
}

/** The workers of a batch in this process. They run while they have a user: `start()`, or a loop. */
export class BatchWorkers {
  readonly #start: () => Worker[]
  readonly #users = new Set<unknown>()
  #workers: Worker[] = []
  #stopped: Promise<unknown> = Promise.resolve()

  constructor(start: () => Worker[]) {
    this.#start = start
  }

  use(user: unknown): void {
    this.#users.add(user)
    if (this.#workers.length === 0) this.#workers = this.#start()
  }

  /** After the last user, no further task starts. Resolves when the results of running requests are stored. */
  async release(user: unknown): Promise<void> {
    this.#users.delete(user)
    if (this.#users.size > 0) return
    const stopping = this.#workers
    this.#workers = []
    this.#stopped = Promise.all([this.#stopped, ...stopping.map((worker) => worker.stop())])
    await this.#stopped
  }
}
