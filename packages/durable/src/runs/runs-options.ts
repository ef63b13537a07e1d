import type { AnyInput, Checks, Rate } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import type { Inbox } from 'modelrun/webhooks'
import type { Engine } from '../engine/engine.ts'
import { rate } from '../engine/table-engine.ts'
import type { Cancellation, Cancellations } from './control-runs.ts'
import type { RunsToDelete } from './delete-runs.ts'
import type { ListedRun, RunList } from './list-runs.ts'
import type { RunItem } from './run-each.ts'
import type { RunsWebhooks } from './run-inbox.ts'
import type { EndedStep, EndState, FinishedRun, Run, RunsProgress, StepRun } from './run-types.ts'
import type { ReadOptions, SendOptions } from './send-run.ts'
import type { SweepOptions } from './sweep-runs.ts'

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
  /**
   * Maximum number of runs that are under way at the service, from the POST to the end of the job, over all processes, which
   * need the same. Default: no limit.
   */
  maxRunning?: number | undefined
  /** Rate limit of submits, over all processes. Default: no limit. */
  submitRate?: Rate | undefined
  /** Rate limit of polls, over all processes. Default 10 a second. */
  pollRate?: Rate | undefined
  /**
   * Maximum cost of the whole batch, in credits. Further runs are rejected, and are sent when they are added again to a batch
   * with a higher limit. Default: no limit.
   */
  maxCredits?: number | undefined
  /**
   * After how many milliseconds a job is given up that does not end, or whose polls bring nothing. Its run is `unknown` then.
   * Default 86,400,000: a day.
   */
  giveUpAfterMs?: number | undefined
  /**
   * Notified when the batch pauses: the API key is not valid, or lacks permissions or credits. And when it could send no run, or
   * poll no job, for a minute, then each hour: an Error whose `cause` is that of the client. Default: a process warning.
   */
  onPause?: ((reason: Error) => void) | undefined
  /**
   * Notified of each run that has ended or is `unknown`, by the process that stored it: mostly to wake a workflow, which then
   * calls `send` or `read`. It may be called twice for a run, or not at all when that process dies.
   */
  onEnd?: ((run: EndedStep) => unknown) | undefined
  /** Notified when the store fails. The batch tries again by itself. Default: a process warning, once a minute. */
  onError?: ((error: unknown) => void) | undefined
  /** How long the runs of a process that died stay locked, in milliseconds. Default 30,000. */
  lockMs?: number | undefined
  /** Receives results by webhook: mount `runs.inbox` at the URL. Then only jobs without a delivery are polled. */
  webhooks?: RunsWebhooks | undefined
}

/** A batch of runs that outlives its processes. */
export interface Runs {
  /** Receives the webhooks of the batch: mount `inbox.handle` or `inbox.node()`. Present with `webhooks`. */
  readonly inbox: Inbox | undefined
  /**
   * Adds a run. Any process may add a key any number of times: it is sent at most once. Resolves when the run is durable.
   *
   * @param agreed `maxCredits`: the run is rejected, and not sent, when it costs more at that moment. When it is added again with
   * a higher one, it is sent; while it waits, the last one that was named counts. Default: any price
   * @throws ConfigurationError when the key is that of a run with another model or input
   * @throws InputValidationError when JSON would change the input
   */
  add(key: string, model: string, input: AnyInput, agreed?: { maxCredits?: number | undefined }): Promise<void>
  /**
   * Does the next thing for a run, for a step of a workflow or a function: sends it if it was never sent, or polls its job when
   * that is due. Any process may call it at any time: at most one POST for a key. Returns how the run is, as JSON: call again
   * after `afterMs`, until it has ended or is `unknown`.
   *
   * Rejects only when this call has sent nothing: an engine may repeat it.
   *
   * @throws ConfigurationError when the key is that of a run with another model or input, or an argument is wrong
   * @throws InputValidationError when JSON would change the input
   * @throws AbortedError when the signal aborts before the run is sent
   * @throws Errors of the store, when it fails for some seconds
   */
  send(key: string, model: string, input: AnyInput, options?: SendOptions): Promise<StepRun>
  /**
   * Returns how a run is, as `send` does, and never sends it: for pages, and after a hint that its job has ended.
   *
   * @throws ConfigurationError when the batch has no run with this key
   */
  read(key: string, options?: ReadOptions): Promise<StepRun>
  /**
   * Works what is due, for a function that a schedule starts: sends, polls, and the deliveries of the inbox. Ends early when
   * nothing is due. Returns the progress of the batch, which says what is left.
   */
  sweep(options?: SweepOptions): Promise<RunsProgress>
  /** Starts to send and poll in this process, in the async context (`AsyncLocalStorage`) in which the engine was created. */
  start(): void
  /**
   * Stops sending and polling in this process. Resolves when the results of running requests are stored. Loops of
   * `runEach` continue. With `webhooks` this is final: the inbox takes no more deliveries.
   */
  stop(): Promise<void>
  /** Returns a run by its key; `undefined` when it was never added. */
  get(key: string): Promise<Run | undefined>
  /** Yields finished runs in the order of their ends, until no run is `waiting` or `running`. */
  results(options?: { after?: string | undefined; signal?: AbortSignal | undefined }): AsyncIterable<FinishedRun>
  /** Returns the progress of the batch, over all processes. */
  progress(): Promise<RunsProgress>
  /**
   * Lists runs page by page: what was sent, by its end, then what is under way, then what waits. A run that moves on meanwhile may
   * be missing, or twice.
   */
  list(options?: RunList): Promise<ListedRun[]>
  /** Lists the runs that need a decision: they may have been sent, or their job cannot be polled. */
  unknown(options?: RunList): Promise<ListedRun[]>
  /**
   * Decides that an `unknown` run has this job, which is polled from now on; without `jobId`, that its known job is polled again.
   * Resolves to whether the run was unknown and has a job now.
   *
   * @throws ConfigurationError when it is the job of another run of the batch
   */
  resolve(key: string, decision?: { jobId?: string | undefined }): Promise<boolean>
  /**
   * Sends an `unknown` run again. It may be paid twice. When that brings no success,
   * the run is `unknown` again: the earlier send may be charged. Resolves to whether the run was unknown. A run whose job is known was paid: it is sent again
   * only when `lostJob` names that job, which is given up. `maxCredits` is as for `add`; default: as before.
   */
  resubmit(key: string, decision?: { lostJob?: string | undefined; maxCredits?: number | undefined }): Promise<boolean>
  /**
   * Sends a run again that is `failed`, `rejected` or `cancelled`. **A new run, which is paid for itself.** `results` yields its
   * end besides the earlier one. Resolves to whether the run had such a state. `maxCredits` is as for `add`; default: as before.
   */
  retry(key: string, agreed?: { maxCredits?: number | undefined }): Promise<boolean>
  /**
   * Deletes runs, with their credits, but none that is under way. **A deleted key is forgotten: added again, it is sent and paid
   * again.** Read `results` from the start afterwards. Resolves to how many were deleted, and how many are under way and were kept.
   */
  delete(wanted: RunsToDelete): Promise<{ deleted: number; kept: number }>
  /**
   * Cancels a run: one that waits is never sent, the job of one that runs is cancelled at the service (section 4.5).
   *
   * @throws ApiError, ConnectionError or AttemptTimeoutError when the service did not cancel the job: call it again
   */
  cancel(key: string): Promise<Cancellation>
  /**
   * Cancels all runs that have not ended, and pauses the batch while it does. Resolves to what it could do, in numbers of runs;
   * repeat it until `sending` and `failed` are 0. When it rejects, the batch stays paused.
   */
  cancelAll(): Promise<Cancellations>
  /** Sends no further run, in all processes, until `resume`. Jobs that run are still polled, so that no result is late. */
  pause(): Promise<void>
  /** Ends a pause. Runs that were tried before it are due at once. */
  resume(): Promise<void>
  /**
   * Adds a run for each item, works the batch in this process, and yields each item with its run once that has ended or is
   * `unknown`. The same loop after a crash, or in a second process, sends nothing again and yields the results that exist.
   * Leaving the loop waits until the results of running requests are stored.
   *
   * @param items their `key` and `input` are those of `add`; an item is taken when there is a place for it
   * @param options `concurrency`: items that were taken and whose run has not been yielded; default 1,000
   * @throws What `add` throws, an error of the items, AbortedError: no further run is sent, and the batch keeps those that were
   */
  runEach<Item extends RunItem>(
    model: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    options?: { concurrency?: number | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<{ item: Item; run: Run }, void, undefined>
}

const atLeastOne = kit.must('a number of at least 1', (value) => typeof value === 'number' && value >= 1)

const OPTIONS: Checks<RunsOptions> = {
  engine: kit.needs("an engine of @modelrun/durable, such as `createSqliteEngine({ path: 'batch.db' })`", (value) =>
    kit.hasMethods(value, 'work', 'total'),
  ),
  client: kit.needs('a client, such as `new ModelRun()`', (value) => kit.hasMethods(value, 'submit')),
  name: kit.must('a name', kit.isText),
  concurrency: atLeastOne,
  maxRunning: atLeastOne,
  submitRate: rate,
  pollRate: rate,
  maxCredits: kit.notNegative,
  giveUpAfterMs: kit.notNegative,
  onPause: kit.callback,
  onError: kit.callback,
  onEnd: kit.callback,
  lockMs: kit.positive,
  webhooks: kit.must('an object, like { secret, publicUrl }', kit.isRecord),
}

const WEBHOOKS: Checks<RunsWebhooks> = {
  publicUrl: kit.needs('the URL at which the service reaches `runs.inbox`', kit.isText),
  secret: kit.needs('a secret of at least 32 bytes', (value) => kit.isText(value) || kit.isRecord(value)),
  allowHttp: kit.flag,
}

/** Checks the options of `createRuns`, also those of plain JavaScript. @throws ConfigurationError */
export function checkRunsOptions(options: RunsOptions): void {
  const { webhooks } = kit.readOptions('createRuns', options, OPTIONS)
  if (webhooks !== undefined) kit.readOptions('createRuns webhooks', webhooks, WEBHOOKS)
}

export const AGREED = { maxCredits: kit.notNegative }
export const PAGE: Checks<RunList> = { limit: atLeastOne, after: kit.text }
export const RESULTS_OPTIONS = { after: kit.text, signal: kit.signal }
/** An empty one would be that of no run, and decide for one that has none. */
export const jobId = kit.must('the id of a job', (value) => value === undefined || kit.isText(value))

const ENDS = ['succeeded', 'failed', 'cancelled', 'rejected'] satisfies EndState[]
export const RUNS_TO_DELETE = { all: kit.flag, state: kit.oneOf(...ENDS), olderThanMs: kit.notNegative }

export const SEND_OPTIONS: Checks<SendOptions> = {
  ...AGREED,
  webhookUrl: kit.httpUrl,
  waitMs: kit.notNegative,
  signal: kit.signal,
}
export const READ_OPTIONS: Checks<ReadOptions> = { isHinted: kit.flag, jobId }
export const SWEEP_OPTIONS: Checks<SweepOptions> = { forMs: kit.notNegative, signal: kit.signal }

export const LOOP_OPTIONS = { concurrency: atLeastOne, signal: kit.signal }
