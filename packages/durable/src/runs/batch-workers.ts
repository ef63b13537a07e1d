import type { DiedTask, Json, OnceOptions, Rate, Task, TaskHandler, Worker, WorkOptions } from '@modelrun/kit'
import { PROCESS_DIED, stringIn, systemClock } from '@modelrun/kit'
import { createOutageGuard } from './pauses.ts'
import { createPollDelays, POLL_ATTEMPTS, pollRun } from './poll-run.ts'
import { freePlace, guardedBy, patiently, type RunsContext, reportEnd } from './runs-context.ts'
import { createPrices, submitRun } from './submit-run.ts'

export type WorkedQueue = 'submit' | 'poll'

const POLL_RATE: Rate = { max: 10, perMs: 1_000 }
const POLLS_AT_ONCE = 32

/** The options of a batch that limit its workers. */
interface Limits extends Pick<WorkOptions, 'concurrency' | 'lockMs'> {
  submitRate?: Rate | undefined
  pollRate?: Rate | undefined
}

/** A poll of a step sets no mark: a GET that is repeated does no harm, so a process that dies in it does not count. */
const UNMARKED = { startMark: 'handler' } as const

export type BatchWorkers = ReturnType<typeof createBatchWorkers>

/** Works the tasks of a batch in this process: with workers while they have a user, such as `start()` or a loop, or one by one. */
export function createBatchWorkers(
  context: RunsContext,
  { concurrency = 10, submitRate, pollRate = POLL_RATE, lockMs }: Limits,
) {
  const { client, engine, queues } = context
  const prices = createPrices(client)
  const delays = createPollDelays()
  const guard = createOutageGuard(systemClock)
  const onProcessDied = ({ id, data }: DiedTask) => {
    reportEnd(id, { state: 'unknown', jobId: stringIn(data, 'jobId'), error: PROCESS_DIED }, context)
    freePlace(id, context).catch(context.onError)
  }
  const inHand = new Map<string, Promise<unknown>>()
  const kept =
    (name: WorkedQueue, work: (task: Task, context: RunsContext) => Promise<Json | undefined>) =>
    async (task: Task, context: RunsContext) => {
      const { id, addedAt, lost } = task
      const key = `${name} ${id}`
      // Its lock was lost because the store failed for longer. What this process has in hand is stored first.
      if (lost > 0) await inHand.get(key)?.catch(() => {})
      const done = work(task, guardedBy({ queue: queues[name], id, addedAt }, context))
      inHand.set(key, done)
      return done.finally(() => inHand.get(key) === done && inHand.delete(key))
    }
  const handlers = {
    submit: kept('submit', (task, context) => submitRun(task, prices, context)),
    poll: kept('poll', (task, context) => pollRun(task, delays, context)),
  }
  const options: Record<WorkedQueue, WorkOptions> = {
    submit: { concurrency, rate: submitRate, lockMs, startMark: 'handler', onProcessDied },
    poll: { concurrency: POLLS_AT_ONCE, rate: pollRate, lockMs, attempts: POLL_ATTEMPTS + 1, onProcessDied },
  }
  const work = (name: WorkedQueue) => {
    const stopping = new AbortController()
    const handler: TaskHandler = (task) => {
      const signal = AbortSignal.any([task.signal, stopping.signal])
      return handlers[name]({ ...task, signal }, context)
    }
    const send: TaskHandler = (task) => guard(() => handler(task))
    const worker = engine.work(queues[name], name === 'submit' ? send : handler, options[name])
    const stop = () => {
      // Reads of jobs and prices end at once. A run that is being sent ignores it.
      stopping.abort()
      return worker.stop()
    }
    return { stop }
  }
  const users = new Set<unknown>()
  let workers: Worker[] = []
  let stopped: Promise<unknown> = Promise.resolve()
  return {
    context,
    handlers,
    /** The rate of a queue, over all processes. */
    rateOf: (name: WorkedQueue) => options[name].rate,
    /** Runs the task of a run in this process, if that is due. */
    once: (name: WorkedQueue, task: Pick<OnceOptions, 'id' | 'isEarly'>, handler: TaskHandler) =>
      patiently(() => engine.once(queues[name], handler, { ...options[name], ...UNMARKED, ...task })),
    /** Whether this process works a run. */
    isRunning: () => inHand.size > 0,
    use: (user: unknown) => {
      users.add(user)
      if (workers.length === 0) workers = [work('submit'), work('poll')]
    },
    /** After the last user, no further task starts. Resolves when the results of running requests are stored. */
    release: async (user: unknown) => {
      users.delete(user)
      if (users.size > 0) return
      stopped = Promise.all([stopped, ...workers.splice(0).map((worker) => worker.stop())])
      await stopped
      // Also what has lost its lock.
      await Promise.allSettled(inHand.values())
    },
  }
}
