import type { OnceResult, Rate, Task, TaskHandler } from '@modelrun/kit'
import { jitter, sleep, systemClock, unlessAborted } from '@modelrun/kit'
import { AbortedError, ConfigurationError } from 'modelrun'
import { RetryAfterError } from 'modelrun/webhooks'
import type { Engine } from '../engine/engine.ts'
import { addCheckedRun, changeLimit, checkedRun, checkSameRun } from './add-run.ts'
import type { BatchWorkers, WorkedQueue } from './batch-workers.ts'
import { completeDeletion } from './delete-runs.ts'
import { pauseReason } from './pauses.ts'
import { type Attempt, latestAttempt } from './read-runs.ts'
import { endedStep, type GivenRun, openStep, type Run, type StepRun, type SubmitData } from './run-types.ts'
import { asJson, decide, FIRST_WAIT_MS, fromJson, patiently, type RunsContext, type Watch } from './runs-context.ts'
import { firstPollMs } from './submit-run.ts'
import { resolveUnknown } from './unknown-runs.ts'

/** Options of `runs.send`. */
export interface SendOptions {
  /** Where the service delivers the result, unsigned: a hint for `read`. Of several calls, the first one counts. Not with `webhooks`. */
  webhookUrl?: string | undefined
  /** Highest price, in credits, at which the run is sent, as for `add`. Default: any price. */
  maxCredits?: number | undefined
  /** Longest wait for another caller that is sending the run right now, in milliseconds. Default 5,000. */
  waitMs?: number | undefined
  /** Ends the call at once. A run that is not sent yet stays in the batch; one that may be sent is returned as it is known. */
  signal?: AbortSignal | undefined
}

/** Options of `runs.read`. */
export interface ReadOptions {
  /** Polls the job also before that is due, after a hint of a delivery. The rate still holds. Default `false`. */
  isHinted?: boolean | undefined
  /** The job of a run that is `unknown`, from an earlier call: it is polled from now on. */
  jobId?: string | undefined
}

/** When to ask again while another caller sends or polls: its lock says when it would have died, not when it ends. */
const WORKED_MS = 1_000

const LONGEST_WAIT_MS = 400

/** Sends a run that was never sent, and polls the job of one that was when that is due. */
export async function sendRun(
  key: string,
  { model, input, waitMs = 5_000, signal, ...more }: SendOptions & Pick<GivenRun, 'model' | 'input'>,
  workers: BatchWorkers,
): Promise<StepRun> {
  const { context } = workers
  const wanted = checkedRun(key, { model, input, maxCredits: more.maxCredits, webhookUrl: more.webhookUrl })
  checkWebhookUrl(wanted, context)
  const watch: Watch = {}
  let last: Partial<Run> = {}
  const work = async (latest: Attempt) => {
    last = latest.run
    checkSameRun(key, wanted, latest.run)
    signal?.throwIfAborted()
    const name = latest.run.jobId === undefined ? 'submit' : 'poll'
    const mayRun = name === 'submit' ? isSame : undefined
    return endedStep(latest.run) ?? (await workOnce(latest, { name, mayRun, watch, signal }, workers))
  }
  const isSame = ({ data }: Task) => {
    // Another caller may have added the key after it was read.
    checkSameRun(key, wanted, fromJson<SubmitData>(data))
    return true
  }
  const isDone = (step: StepRun) => step.state !== 'running' || step.jobId !== undefined
  const send = async () => {
    const known = await patiently(() => addOrRead(key, wanted, context))
    return untilStep(known, { work, isDone, waitMs, watch }, context)
  }
  return unlessAborted(send, signal, (reason) => {
    const { state = 'waiting', jobId = watch.jobId } = last
    if (watch.end !== undefined) return watch.end
    if (watch.isMarked || state !== 'waiting') return openStep({ key, state: 'running', jobId, afterMs: WORKED_MS })
    const message = 'The call was aborted before it sent the run, which stays in the batch.'
    throw new AbortedError({ message, cause: reason, submission: 'not_sent' })
  })
}

interface Until {
  /** Resolves to `undefined` when the run has moved on, and is to be read again. */
  work(known: Attempt): Promise<StepRun | undefined>
  isDone(step: StepRun): boolean
  waitMs: number
  watch: Watch
}

/** Works a run until it is somewhere, or the time is over. Once it may have been sent, nothing is thrown. */
async function untilStep(
  known: Attempt,
  { work, isDone, waitMs, watch }: Until,
  context: RunsContext,
): Promise<StepRun> {
  const { key } = known.run
  const giveUpAt = performance.now() + waitMs
  let { jobId } = known.run
  let step = await work(known)
  let delayMs = 0
  while (step === undefined || !isDone(step)) {
    const last = step ?? openStep({ key, state: 'running', jobId, afterMs: WORKED_MS })
    if (performance.now() >= giveUpAt) return last
    await sleep(systemClock, delayMs)
    delayMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, delayMs * 2))
    try {
      const latest = await readKnown(key, context)
      jobId = latest.run.jobId
      step = await work(latest)
    } catch (error) {
      if (!watch.isMarked) throw error
      return watch.jobId === undefined ? last : { ...last, jobId: watch.jobId }
    }
  }
  return step
}

/** Reads a run, and adds it if it is new. A run that was rejected for its budget runs again, as when it is added. */
async function addOrRead(key: string, wanted: SubmitData, context: RunsContext): Promise<Attempt> {
  const { engine, queues } = context
  const known = await latestAttempt(key, context, completeDeletion)
  if (known === undefined) {
    await engine.add(queues.submit, key, { data: asJson(wanted) })
    return { id: key, attempt: 1, run: { ...wanted, key, state: 'waiting' } }
  }
  checkSameRun(key, wanted, known.run)
  if (known.run.state === 'waiting') await changeLimit(key, { wanted, known: known.run }, context)
  if (known.run.state !== 'rejected') return known
  await addCheckedRun(key, wanted, context)
  return (await latestAttempt(key, context)) ?? known
}

async function readKnown(key: string, context: RunsContext): Promise<Attempt> {
  const known = await patiently(() => latestAttempt(key, context))
  if (known !== undefined) return known
  throw new ConfigurationError({ message: `The batch has no run with the key ${key}. Nothing was sent.` })
}

interface OneRun {
  name: WorkedQueue
  /** Whether the task may run now. What it throws is thrown to the caller. */
  mayRun?: ((task: Task) => boolean) | undefined
  watch: Watch
  /** Also before it is due. */
  isEarly?: boolean | undefined
  /** Ends the work before the run is sent, or a poll. */
  signal?: AbortSignal | undefined
}

/** Works the task of a run in this process, as a worker does, if that is due. */
async function workOnce(
  { id, run }: Attempt,
  { name, mayRun = () => true, isEarly, watch, signal }: OneRun,
  workers: BatchWorkers,
): Promise<StepRun | undefined> {
  let rejection: { error: unknown } | undefined
  const isWanted = (task: Task) => {
    try {
      return mayRun(task)
    } catch (error) {
      rejection = { error }
      return false
    }
  }
  const handler: TaskHandler = async (task) => {
    if (!isWanted(task)) throw new RetryAfterError(0)
    return workers.handlers[name]({ ...task, signal: signal ?? task.signal }, { ...workers.context, watch })
  }
  const result = await workers.once(name, { id, isEarly }, handler)
  if (rejection !== undefined) throw rejection.error
  return watch.end ?? openStepOf(result, { ...run, name, watch, workers })
}

/** A call that has worked a task of a run. */
interface Worked {
  key: string
  jobId?: string | undefined
  name: WorkedQueue
  watch: Watch
  workers: BatchWorkers
}

/** The step of a run that is still open. `undefined` when its task is over. */
async function openStepOf(result: OnceResult, worked: Worked): Promise<StepRun | undefined> {
  const { key, jobId = worked.watch.jobId, name, watch, workers } = worked
  const afterMs = (queue: WorkedQueue, waitMs: number) => {
    const { engine, queues } = workers.context
    return spread(waitMs, workers.rateOf(queue), () => engine.count(queues[queue]))
  }
  if (watch.jobId !== undefined) {
    return openStep({ key, state: 'running', jobId, afterMs: await afterMs('poll', firstPollMs(workers.context)) })
  }
  // The lock ended in the POST, while the store was away.
  if (watch.isMarked) return openStep({ key, state: 'running', afterMs: WORKED_MS })
  if (!result.isRun && result.isRunning) {
    return openStep({ key, state: 'running', jobId, afterMs: Math.min(WORKED_MS, result.waitMs) })
  }
  const waitMs = result.isRun ? result.delayMs : result.waitMs
  if (waitMs === undefined || (!result.isRun && waitMs === 0)) return undefined
  const error = watch.pause ?? (result.isRun ? undefined : await pauseReason(workers.context))
  const state = name === 'submit' ? 'waiting' : 'running'
  return openStep({ key, state, jobId, afterMs: await afterMs(name, waitMs), error })
}

/** Reads a run, with one poll of its job if that is due. Never sends. */
export async function readStep(key: string, { isHinted, jobId }: ReadOptions, workers: BatchWorkers): Promise<StepRun> {
  const { context } = workers
  if (jobId !== undefined) await patiently(() => decide(key, (guarded) => resolveUnknown(key, jobId, guarded), context))
  const watch: Watch = {}
  const work = async (latest: Attempt) => {
    const ended = endedStep(latest.run)
    if (ended !== undefined) return ended
    if (latest.run.jobId === undefined) return readUnsent(latest, watch, workers)
    return workOnce(latest, { name: 'poll', isEarly: isHinted, watch }, workers)
  }
  return untilStep(await readKnown(key, context), { work, waitMs: WORKED_MS, isDone: () => true, watch }, context)
}

/** A run without a job: of one whose sender died it says that it is unknown. */
async function readUnsent(latest: Attempt, watch: Watch, workers: BatchWorkers): Promise<StepRun | undefined> {
  const { key, state } = latest.run
  const { context } = workers
  if (state === 'waiting') {
    return openStep({ key, state: 'waiting', afterMs: WORKED_MS, error: await pauseReason(context) })
  }
  return workOnce(latest, { name: 'submit', mayRun: ({ lost }) => lost > 0, watch }, workers)
}

function checkWebhookUrl({ webhookUrl }: SubmitData, { inbox }: RunsContext): void {
  if (webhookUrl === undefined || inbox === undefined) return
  const message = 'A batch with `webhooks` has a callback URL for each run: leave `webhookUrl` out. Nothing was sent.'
  throw new ConfigurationError({ message })
}

/**
 * Returns a wait that is spread over the time in which the rate starts all tasks that wait: otherwise all callers come back at
 * the same moment, and one of them gets its turn. Never rejects.
 */
async function spread(waitMs: number, rate: Rate | undefined, count: () => ReturnType<Engine['count']>) {
  if (rate === undefined) return waitMs
  const waiting = await count().then(
    (counts) => counts.waiting,
    () => 0,
  )
  return waitMs + (waiting > rate.max ? jitter((waiting * rate.perMs) / rate.max, [0, 1]) : 0)
}
