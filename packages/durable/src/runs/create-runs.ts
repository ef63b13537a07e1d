import { ConfigurationError, type ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine, Rate, Worker } from '../engine/engine.ts'
import { warnOnce } from '../engine/table-engine.ts'
import { FOLLOW_ATTEMPTS, followRun } from './follow-run.ts'
import { PollDelays } from './poll-delay.ts'
import { Prices } from './prices.ts'
import { readProgress, readResults, readRun } from './read-runs.ts'
import { type EndPlaces, RunEach, type RunItem } from './run-each.ts'
import { createRunInbox, type RunsWebhooks } from './run-inbox.ts'
import type { FinishedRun, Run, RunsProgress } from './run-types.ts'
import { asJson, RunQueues, type RunsContext } from './runs-context.ts'
import { submitRun } from './submit-run.ts'
import { listUnknown, resolveUnknown, resubmitUnknown, type UnrecognizedRunResponse } from './unknown-runs.ts'

/** Options of `createRuns`. */
export interface RunsOptions {
  /** Where the batch is kept. Call its `setup()` once before. */
  engine: Engine
  /** The client that sends and polls. */
  client: ModelRun
  /** Batches of different names do not see each other. Default `runs`. */
  name?: string | undefined
  /** Runs that are sent at once by this process. Default 10. */
  concurrency?: number | undefined
  /** The most submits, over all processes. Default: no limit. */
  submitRate?: Rate | undefined
  /** The most polls, over all processes. Default 10 a second. */
  pollRate?: Rate | undefined
  /** The most that the whole batch may cost, in credits. Further runs are rejected. Default: no limit. */
  maxCredits?: number | undefined
  /**
   * What happens to a run that may have been sent, because its process died: `park` waits for your decision, `resubmit`
   * sends it again and may pay twice. Default `park`.
   */
  onUnknown?: 'park' | 'resubmit' | undefined
  /** Notified when the batch stands still because the key, its permissions or its credits do not suffice. */
  onPause?: ((reason: Error) => void) | undefined
  /** How long a process that died holds its runs, in milliseconds. Default 30,000. */
  lockMs?: number | undefined
  /** Receives results by webhook: mount `runs.inbox` at the URL. Jobs are then polled only when a delivery is lost. */
  webhooks?: RunsWebhooks | undefined
}

/** A batch of runs that outlives its processes. */
export interface Runs {
  /** Receives the webhooks of the batch: mount `inbox.handle`, `inbox.node()` or `inbox.lambda()`. Present with `webhooks`. */
  readonly inbox: Inbox | undefined
  /**
   * Adds a run, from any process, any number of times: a key is sent at most once. Resolves when it is durable.
   *
   * @param key names the run; up to 300 characters
   */
  add(key: string, model: string, input: Readonly<Record<string, unknown>>): Promise<void>
  /** Starts to send and poll in this process. */
  start(): void
  /**
   * Sends and polls no further run here, and resolves when those that are under way are kept. Loops of `client.runMany`
   * go on. With `webhooks` it is final: the inbox takes no more deliveries.
   */
  stop(): Promise<void>
  /** A run by its key; `undefined` when it was never added. */
  get(key: string): Promise<Run | undefined>
  /** Finished runs in the order of their ends. Ends when no run of the batch is open; runs that are `unknown` are not. */
  results(options?: { after?: string | undefined; signal?: AbortSignal | undefined }): AsyncIterable<FinishedRun>
  /** How far the batch is, over all processes. */
  progress(): Promise<RunsProgress>
  /** Runs that may have been sent, or that no process can follow, and need a decision. */
  unknown(options?: { limit?: number | undefined; after?: string | undefined }): Promise<UnrecognizedRunResponse[]>
  /** Decides that a run that is `unknown` is this job of the service. Resolves to whether it was unknown. */
  resolve(key: string, decision: { jobId: string }): Promise<boolean>
  /**
   * Sends a run that is `unknown` again. It may be paid twice. Of several calls at the same moment one sends it. Resolves to
   * whether it was unknown and no job of it is known.
   */
  resubmit(key: string): Promise<boolean>
  /**
   * For `client.runMany` with `durable`: works the batch in this process, adds items, and gives each back with its run once
   * that has ended or is `unknown`. Leaving the loop resolves when the runs that are being sent here are kept.
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
 * Runs many inputs, at most one POST for each key, over any number of processes and restarts. A run is kept before it is
 * sent. A process that dies while it sends leaves a run that is `unknown`: it is never sent again by itself.
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
  let places: EndPlaces = {}
  /** What wants this process to work: `start()` and loops. */
  const wants = new Set<unknown>()

  const add: Runs['add'] = (key, model, input) => engine.add(queues.submit, key, { data: asJson({ model, input }) })
  const work = (want: unknown) => {
    wants.add(want)
    if (workers.length === 0) workers = startWorkers(context, options, { prices, delays })
  }
  const rest = async (want: unknown) => {
    wants.delete(want)
    if (wants.size > 0) return
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
      await rest('start')
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
      const ownPlaces = { ...places }
      const loop = new RunEach(context, {
        add: (key, input) => add(key, model, input),
        items,
        concurrency,
        places: ownPlaces,
      })
      const onAbort = () => loop.fail(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      work(loop)
      try {
        yield* loop.run()
      } finally {
        signal?.removeEventListener('abort', onAbort)
        places = ownPlaces
        await rest(loop)
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
    engine.work(queues.follow, (task) => followRun(task, delays, context), {
      concurrency: POLLS_AT_ONCE,
      rate: pollRate,
      lockMs,
      attempts: FOLLOW_ATTEMPTS + 1,
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

/** How fast runs end, in runs per millisecond, since the first time that it was asked. */
function speedMeter(): (done: number) => number | undefined {
  let first: { at: number; done: number } | undefined
  return (done) => {
    const at = performance.now()
    first ??= { at, done }
    return done > first.done ? (done - first.done) / (at - first.at) : undefined
  }
}
