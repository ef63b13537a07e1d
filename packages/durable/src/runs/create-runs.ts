import { ConfigurationError, type ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Rate, Worker } from '../engine/engine.ts'
import { warnOnce } from '../engine/table-engine.ts'
import { PollDelays } from './poll-delay.ts'
import { POLL_ATTEMPTS, pollRun } from './poll-run.ts'
import { readProgress, readResults, readRun } from './read-runs.ts'
import { type ReadCursors, RunEach, type RunItem } from './run-each.ts'
import { createRunInbox, type RunsWebhooks } from './run-inbox.ts'
import type { FinishedRun, Run, RunsProgress } from './run-types.ts'
import { asJson, RunQueues, type RunsContext } from './runs-context.ts'
import { Prices, submitRun } from './submit-run.ts'
import { listUnknown, resolveUnknown, resubmitUnknown, type UnknownRun } from './unknown-runs.ts'

/** Options of `createRuns`. */
export interface RunsOptions {
  /** Stores the batch. Call its `setup()` once before. */
  engine: Engine
  /** The client that sends and polls. */
  client: ModelRun
  /** Name of the queues on the engine: batches of different names do not share runs. Default `runs`. */
  name?: string | undefined
  /** Maximum number of runs that this process sends at once. Default 10. */
  concurrency?: number | undefined
  /** Rate limit of submits, over all processes. Default: no limit. */
  submitRate?: Rate | undefined
  /** Rate limit of polls, over all processes. Default 10 a second. */
  pollRate?: Rate | undefined
  /** Maximum cost of the whole batch, in credits. Further runs are rejected. Default: no limit. */
  maxCredits?: number | undefined
  /**
   * What happens to a run that may have been sent, because its process died. `park`: it waits for your decision. `resubmit`: it
   * is sent again, and may be paid twice. Default `park`.
   */
  onUnknown?: 'park' | 'resubmit' | undefined
  /** Notified when the batch pauses: the API key is not valid, or lacks permissions or credits. Default: a process warning. */
  onPause?: ((reason: Error) => void) | undefined
  /** How long the runs of a process that died stay locked, in milliseconds. Default 30,000. */
  lockMs?: number | undefined
  /** Receives results by webhook: mount `runs.inbox` at the URL. Then only jobs without a delivery are polled. */
  webhooks?: RunsWebhooks | undefined
}

/** A batch of runs that outlives its processes. */
export interface Runs {
  /** Receives the webhooks of the batch: mount `inbox.handle`, `inbox.node()` or `inbox.lambda()`. Present with `webhooks`. */
  readonly inbox: Inbox | undefined
  /**
   * Adds a run. Any process may add a key any number of times: it is sent at most once. Resolves when the run is durable.
   *
   * @param key name of the run, up to 300 characters
   */
  add(key: string, model: string, input: Readonly<Record<string, unknown>>): Promise<void>
  /** Starts to send and poll in this process. */
  start(): void
  /**
   * Stops sending and polling in this process. Resolves when the results of running requests are stored. Loops of
   * `client.runMany` continue. With `webhooks` this is final: the inbox takes no more deliveries.
   */
  stop(): Promise<void>
  /** Returns a run by its key; `undefined` when it was never added. */
  get(key: string): Promise<Run | undefined>
  /** Yields finished runs in the order of their ends, until no run is `waiting` or `running`. */
  results(options?: { after?: string | undefined; signal?: AbortSignal | undefined }): AsyncIterable<FinishedRun>
  /** Returns the progress of the batch, over all processes. */
  progress(): Promise<RunsProgress>
  /** Lists the runs that need a decision: they may have been sent, or their job cannot be polled. */
  unknown(options?: { limit?: number | undefined; after?: string | undefined }): Promise<UnknownRun[]>
  /** Decides that an `unknown` run has this job. Resolves to whether the run was unknown. */
  resolve(key: string, decision: { jobId: string }): Promise<boolean>
  /**
   * Sends an `unknown` run again. It may be paid twice. Of several calls at the same time, one sends it. Resolves to whether the
   * run was unknown and has no known job.
   */
  resubmit(key: string): Promise<boolean>
  /**
   * For `client.runMany` with `durable`: works the batch in this process, adds items, and yields each item with its run once the
   * run has ended or is `unknown`. Leaving the loop waits until the results of running requests are stored.
   */
  runEach<Item extends RunItem>(
    model: string,
    items: AsyncIterable<Item>,
    options?: { concurrency?: number | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<{ item: Item; run: Run | undefined }, void, undefined>
}

const POLL_RATE: Rate = { max: 10, perMs: 1_000 }
const POLLS_AT_ONCE = 32
const ITEMS_AT_ONCE = 1_000

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
  const context = contextOf(options)
  const { engine, queues } = context
  const prices = new Prices(options.client)
  const delays = new PollDelays()
  const speed = speedMeter()
  let workers: Worker[] = []
  let cursors: ReadCursors = {}
  /** Users of the workers: `start()` and loops. */
  const users = new Set<unknown>()

  const add: Runs['add'] = (key, model, input) => engine.add(queues.submit, key, { data: asJson({ model, input }) })
  const work = (user: unknown) => {
    users.add(user)
    if (workers.length === 0) workers = startWorkers(context, options, { prices, delays })
  }
  const release = async (user: unknown) => {
    users.delete(user)
    if (users.size > 0) return
    const stopping = workers
    workers = []
    await Promise.all(stopping.map((worker) => worker.stop()))
  }

  return {
    add,
    inbox: context.inbox,
    start: () => {
      context.inbox?.start()
      work('start')
    },
    stop: async () => {
      await release('start')
      await context.inbox?.drain()
    },
    get: (key) => readRun(key, context),
    results: (given = {}) => readResults(given, context),
    progress: () => readProgress(context, speed),
    unknown: (list = {}) => listUnknown(list, context),
    resolve: (key, { jobId }) => resolveUnknown(key, jobId, context),
    resubmit: (key) => resubmitUnknown(key, context),
    async *runEach(model, items, { concurrency = ITEMS_AT_ONCE, signal } = {}) {
      signal?.throwIfAborted()
      const ownCursors = { ...cursors }
      const loop = new RunEach(context, {
        add: (key, input) => add(key, model, input),
        items,
        concurrency,
        cursors: ownCursors,
      })
      const onAbort = () => loop.fail(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      work(loop)
      try {
        yield* loop.run()
      } finally {
        signal?.removeEventListener('abort', onAbort)
        cursors = ownCursors
        await release(loop)
      }
    },
  }
}

function startWorkers(
  context: RunsContext,
  { concurrency = 10, submitRate, pollRate = POLL_RATE, lockMs }: RunsOptions,
  { prices, delays }: { prices: Prices; delays: PollDelays },
): Worker[] {
  const { engine, queues } = context
  return [
    engine.work(queues.submit, (task) => submitRun(task, prices, context), { concurrency, rate: submitRate, lockMs }),
    engine.work(queues.poll, (task) => pollRun(task, delays, context), {
      concurrency: POLLS_AT_ONCE,
      rate: pollRate,
      lockMs,
      attempts: POLL_ATTEMPTS + 1,
    }),
  ]
}

function contextOf({
  engine,
  client,
  name = 'runs',
  maxCredits,
  onUnknown = 'park',
  onPause,
  webhooks,
}: RunsOptions): RunsContext {
  if (onUnknown !== 'park' && onUnknown !== 'resubmit') {
    throw new ConfigurationError({
      message: `createRuns takes onUnknown: 'park' or 'resubmit'. It got ${String(onUnknown)}.`,
    })
  }
  const warn = (error: unknown) => process.emitWarning(`The batch ${name}: ${String(error)}`)
  const queues = new RunQueues(name)
  const context = { engine, client, queues, maxCredits, onUnknown, onPause: onPause ?? warn, onError: warnOnce() }
  return webhooks === undefined ? context : { ...context, inbox: createRunInbox(context, webhooks) }
}

/** Measures how fast runs end, in runs per millisecond since the first call. */
function speedMeter(): (done: number) => number | undefined {
  let first: { at: number; done: number } | undefined
  return (done) => {
    const at = performance.now()
    first ??= { at, done }
    return done > first.done ? (done - first.done) / (at - first.at) : undefined
  }
}
