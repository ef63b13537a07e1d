import { abortable, readOptions } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { guarded, warn, warnOnce } from '../engine/table-engine.ts'
import { addCheckedRun, retryRun } from './add-run.ts'
import { createBatchWorkers } from './batch-workers.ts'
import { cancelAllRuns, cancelRun } from './control-runs.ts'
import { deleteRuns } from './delete-runs.ts'
import { listRuns } from './list-runs.ts'
import { pauseRuns, resumeRuns } from './pauses.ts'
import { abortedCall, readProgress, readResults, readRun } from './read-runs.ts'
import { type ReadCursors, RunEach } from './run-each.ts'
import { createRunInbox } from './run-inbox.ts'
import { checkKey } from './run-types.ts'
import { decide, queuesOf, type RunsContext } from './runs-context.ts'
import {
  AGREED,
  checkRunsOptions,
  jobId,
  LOOP_OPTIONS,
  PAGE,
  READ_OPTIONS,
  RESULTS_OPTIONS,
  RUNS_TO_DELETE,
  type Runs,
  type RunsOptions,
  SEND_OPTIONS,
  SWEEP_OPTIONS,
} from './runs-options.ts'
import { readStep, sendRun } from './send-run.ts'
import { sweepRuns } from './sweep-runs.ts'
import { listUnknown, resolveUnknown, resubmitUnknown } from './unknown-runs.ts'

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
  const workers = createBatchWorkers(context, options)
  let cursors: ReadCursors = {}
  const decideOn = createDecisions(context)

  return {
    // biome-ignore lint/complexity/useMaxParams: a key, and the three that `client.submit` takes
    add: async (key, model, input, agreed = {}) =>
      addCheckedRun(key, { model, input, ...readOptions('runs.add', agreed, AGREED) }, context),
    // biome-ignore lint/complexity/useMaxParams: as `add`
    send: async (key, model, input, options = {}) =>
      sendRun(key, { ...readOptions('runs.send', options, SEND_OPTIONS), model, input }, workers),
    read: async (key, given = {}) => readStep(checkKey(key), readOptions('runs.read', given, READ_OPTIONS), workers),
    sweep: async (given = {}) => sweepRuns(readOptions('runs.sweep', given, SWEEP_OPTIONS), workers),
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
    list: async (list = {}) => listRuns(readOptions('runs.list', list, PAGE), context),
    unknown: async (list = {}) => listUnknown(readOptions('runs.unknown', list, PAGE), context),
    resolve: async (key, decision = {}) =>
      decideOn(key, readOptions('runs.resolve', decision, { jobId }).jobId, resolveUnknown),
    resubmit: async (key, decision = {}) =>
      decideOn(key, readOptions('runs.resubmit', decision, { ...AGREED, lostJob: jobId }), resubmitUnknown),
    retry: async (key, agreed = {}) => decideOn(key, readOptions('runs.retry', agreed, AGREED), retryRun),
    delete: async (wanted) => deleteRuns(readOptions('runs.delete', wanted, RUNS_TO_DELETE), context),
    cancel: async (key) => cancelRun(checkKey(key), context),
    cancelAll: ofAll('runs.cancelAll', () => cancelAllRuns(context)),
    pause: ofAll('runs.pause', () => pauseRuns(context)),
    resume: () => resumeRuns(context),
    async *runEach(model, items, options = {}) {
      const { concurrency = ITEMS_AT_ONCE, signal } = readOptions('runs.runEach', options, LOOP_OPTIONS)
      if (signal?.aborted) throw abortedCall(signal.reason)
      const ownCursors = { ...cursors }
      const loop = new RunEach(context, {
        // An item of JavaScript may be nothing at all.
        add: (item) => addCheckedRun(item?.key, { model, input: item?.input, maxCredits: item?.maxCredits }, context),
        // Not before: a run that waits from before may get another limit by its item.
        onAdded: () => workers.use(loop),
        items,
        concurrency,
        cursors: ownCursors,
      })
      const onAbort = () => loop.fail(abortedCall(signal?.reason))
      signal?.addEventListener('abort', onAbort, { once: true })
      // At once, also while the consumer is busy with an item: nothing more is sent.
      loop.signal.addEventListener('abort', () => void workers.release(loop), { once: true })
      try {
        yield* loop.run()
      } finally {
        signal?.removeEventListener('abort', onAbort)
        cursors = ownCursors
        const released = workers.release(loop)
        // After an abort nothing is waited for, also when the loop had failed before it: a request or the store may hang.
        await (signal ? abortable(released, signal).catch(() => {}) : released)
      }
    },
  }
}

/** A call for the whole batch. One with an argument names a run, or some, and does nothing. @throws ConfigurationError */
function ofAll<Value>(place: string, call: () => Promise<Value>) {
  return async (...given: unknown[]): Promise<Value> => {
    if (given.length === 0) return call()
    throw new ConfigurationError({
      message: `${place} takes no argument: it is for the whole batch. Nothing was done.`,
    })
  }
}

type Decision<Given> = (key: string, given: Given, context: RunsContext) => Promise<boolean>

function createDecisions(context: RunsContext) {
  return <Given>(key: string, given: Given, decision: Decision<Given>) =>
    decide(checkKey(key), (guarded) => decision(key, given, guarded), context)
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
  const context = {
    engine,
    client,
    queues: queuesOf(name),
    maxCredits,
    maxRunning,
    giveUpAfterMs,
    known: {},
    outages: {},
    ...hooks,
  }
  return webhooks === undefined ? context : { ...context, inbox: createRunInbox(context, webhooks) }
}
