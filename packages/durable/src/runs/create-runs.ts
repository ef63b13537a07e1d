import { checkEach, PROCESS_DIED, readOptions, stringIn, systemClock } from '@modelrun/kit'
import { AbortedError } from 'modelrun'
import type { DiedTask, Rate, TaskHandler } from '../engine/engine.ts'
import { warnOnce } from '../engine/table-engine.ts'
import { guarded, warn } from '../engine/warn.ts'
import { addCheckedRun, retryRun } from './add-run.ts'
import { BatchWorkers } from './batch-workers.ts'
import { cancelAllRuns, cancelRun, pauseRuns, resumeRuns, whilePaused } from './control-runs.ts'
import { deleteRuns } from './delete-runs.ts'
import { listRuns } from './list-runs.ts'
import type { StepParts, WorkedQueue } from './once-run.ts'
import { Outage } from './outage.ts'
import { POLL_ATTEMPTS, PollDelays, pollRun } from './poll-run.ts'
import { readProgress, readResults, readRun } from './read-runs.ts'
import { type ReadCursors, RunEach } from './run-each.ts'
import { createRunInbox } from './run-inbox.ts'
import { checkKey } from './run-types.ts'
import { freePlace, queuesOf, type RunsContext, reportEnd } from './runs-context.ts'
import {
  AGREED,
  checkRunsOptions,
  jobId,
  LOOP,
  LOOP_OPTIONS,
  PAGE,
  READ_OPTIONS,
  RESULTS_OPTIONS,
  RUN_LIST,
  RUNS_TO_DELETE,
  type Runs,
  type RunsOptions,
  SEND_OPTIONS,
  SWEEP_OPTIONS,
} from './runs-options.ts'
import { readStep, sendRun } from './send-run.ts'
import { Prices, submitRun } from './submit-run.ts'
import { sweepRuns } from './sweep-runs.ts'
import { listUnknown, resolveUnknown, resubmitUnknown } from './unknown-runs.ts'

const POLL_RATE: Rate = { max: 10, perMs: 1_000 }
const POLLS_AT_ONCE = 32
const ITEMS_AT_ONCE = 1_000
const DAY_MS = 86_400_000

/**
 * Creates a batch: many runs with at most one POST for each key, over any number of processes and restarts. A run is stored
 * before it is sent. A run whose process dies while sending is `unknown`, and is not sent again by itself.
 *
 * @throws ConfigurationError when an option is wrong
 *
 * @example
 * const runs = createRuns({ engine, client, maxCredits: 500 })
 * for (const [index, prompt] of prompts.entries()) await runs.add(`poster-${index}`, 'aurora-image', { prompt })
 * runs.start()
 * for await (const run of runs.results()) console.log(run.key, run.state)
 */
export function createRuns(options: RunsOptions): Runs {
  checkRunsOptions(options)
  const context = contextOf(options)
  const parts = partsOf(context, options)
  const workers = new BatchWorkers(() => [parts.work('submit'), parts.work('poll')])
  let cursors: ReadCursors = {}

  return {
    // biome-ignore lint/complexity/useMaxParams: a key, and the three that `client.submit` takes
    add: async (key, model, input, agreed = {}) =>
      addCheckedRun(key, { model, input, ...readOptions('runs.add', agreed, AGREED) }, context),
    // biome-ignore lint/complexity/useMaxParams: as `add`
    send: async (key, model, input, options = {}) =>
      sendRun(key, { ...readOptions('runs.send', options, SEND_OPTIONS), model, input }, parts),
    read: async (key, given = {}) => readStep(checkKey(key), readOptions('runs.read', given, READ_OPTIONS), parts),
    sweep: async (given = {}) => sweepRuns(readOptions('runs.sweep', given, SWEEP_OPTIONS), parts, workers),
    inbox: context.inbox,
    start: () => {
      context.inbox?.start()
      workers.use('start')
    },
    stop: async () => {
      await workers.release('start')
      await context.inbox?.drain()
    },
    get: async (key) => readRun(checkKey(key), context),
    results: (given = {}) => readResults(readOptions('runs.results', given, RESULTS_OPTIONS), context),
    progress: () => readProgress(context),
    list: async (list = {}) => listRuns(readOptions('runs.list', list, RUN_LIST), context),
    unknown: async (list = {}) => listUnknown(readOptions('runs.unknown', list, PAGE), context),
    resolve: async (key, decision = {}) =>
      resolveUnknown(checkKey(key), readOptions('runs.resolve', decision, { jobId }).jobId, context),
    resubmit: async (key, decision = {}) =>
      resubmitUnknown(checkKey(key), readOptions('runs.resubmit', decision, { lostJob: jobId }).lostJob, context),
    retry: async (key, agreed = {}) => retryRun(checkKey(key), readOptions('runs.retry', agreed, AGREED), context),
    delete: async (wanted) => deleteRuns(readOptions('runs.delete', wanted, RUNS_TO_DELETE), context),
    cancel: async (key) => cancelRun(checkKey(key), context),
    cancelAll: () => whilePaused(() => cancelAllRuns(context), context),
    pause: () => pauseRuns(context),
    resume: () => resumeRuns(context),
    async *runEach(model, items, options = {}) {
      const { concurrency = ITEMS_AT_ONCE, signal } = readOptions('runs.runEach', options, LOOP_OPTIONS)
      checkEach('runs.runEach', { items }, LOOP)
      if (signal?.aborted) throw abortedLoop(signal.reason)
      const ownCursors = { ...cursors }
      const loop = new RunEach(context, {
        // An item of JavaScript may be nothing at all.
        add: (item) => addCheckedRun(item?.key, { model, input: item?.input, maxCredits: item?.maxCredits }, context),
        items,
        concurrency,
        cursors: ownCursors,
      })
      const onAbort = () => loop.fail(abortedLoop(signal?.reason))
      signal?.addEventListener('abort', onAbort, { once: true })
      // At once, also while the consumer is busy with an item: nothing more is sent.
      loop.signal.addEventListener('abort', () => void workers.release(loop), { once: true })
      workers.use(loop)
      try {
        yield* loop.run()
      } finally {
        signal?.removeEventListener('abort', onAbort)
        cursors = ownCursors
        const released = workers.release(loop)
        // After an abort nothing is waited for: a request or the store may hang.
        if (!signal?.aborted) await released
      }
    },
  }
}

function abortedLoop(cause: unknown): AbortedError {
  const message = 'The loop was aborted. Its runs stay in the batch: the same call continues them.'
  return new AbortedError({ message, cause, submission: 'unknown' })
}

function partsOf(
  context: RunsContext,
  { concurrency = 10, submitRate, pollRate = POLL_RATE, lockMs }: RunsOptions,
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

function contextOf({
  engine,
  client,
  name = 'runs',
  maxCredits,
  maxRunning,
  giveUpAfterMs = DAY_MS,
  onPause = (error) => warn(`The batch ${name}: ${String(error)}`),
  onError = warnOnce(),
  onEnd = () => {},
  webhooks,
}: RunsOptions): RunsContext {
  const hooks = {
    onPause: guarded('onPause', onPause),
    onError: guarded('onError', onError),
    onEnd: guarded('onEnd', onEnd),
  }
  const context = { engine, client, queues: queuesOf(name), maxCredits, maxRunning, giveUpAfterMs, ...hooks }
  return webhooks === undefined ? context : { ...context, inbox: createRunInbox(context, webhooks) }
}
