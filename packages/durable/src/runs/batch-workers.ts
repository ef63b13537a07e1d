import type { DiedTask, OnceOptions, Rate, Task, TaskHandler, Worker, WorkOptions } from '@modelrun/kit'
import { PROCESS_DIED, stringIn, systemClock } from '@modelrun/kit'
import { createOutageGuard } from './pauses.ts'
import { POLL_ATTEMPTS, PollDelays, pollRun } from './poll-run.ts'
import { freePlace, patiently, type RunsContext, reportEnd } from './runs-context.ts'
import { createPrices, submitRun } from './submit-run.ts'

/** The queues that are worked. */
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
  const delays = new PollDelays()
  const guard = createOutageGuard(systemClock)
  const onProcessDied = ({ id, data }: DiedTask) => {
    reportEnd(id, { state: 'unknown', jobId: stringIn(data, 'jobId'), error: PROCESS_DIED }, context)
    freePlace(id, context).catch(context.onError)
  }
  const sending = new Map<string, Promise<unknown>>()
  const submit = async (task: Task, context: RunsContext) => {
    // Its lock was lost because the store failed for longer. What this process has in hand is stored first.
    if (task.lost > 0) await sending.get(task.id)?.catch(() => {})
    const sent = submitRun(task, prices, context)
    sending.set(task.id, sent)
    return sent.finally(() => sending.delete(task.id))
  }
  const handlers = {
    submit,
    poll: (task: Task, context: RunsContext) => pollRun(task, delays, context),
  }
  const options: Record<WorkedQueue, WorkOptions> = {
    submit: { concurrency, rate: submitRate, lockMs, startMark: 'handler', onProcessDied },
    poll: { concurrency: POLLS_AT_ONCE, rate: pollRate, lockMs, attempts: POLL_ATTEMPTS + 1, onProcessDied },
  }
  let running = 0
  const work = (name: WorkedQueue) => {
    const stopping = new AbortController()
    const handle: TaskHandler = (task) =>
      handlers[name](name === 'poll' ? { ...task, signal: stopping.signal } : task, context)
    const counted: TaskHandler = async (task) => {
      running += 1
      try {
        return await (name === 'submit' ? guard(() => handle(task)) : handle(task))
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
    /** Whether a worker of this process runs a task. */
    isRunning: () => running > 0,
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
      await Promise.allSettled(sending.values())
    },
  }
}
