import { ApiError, type Job, ModelRunError, NotFoundError } from 'modelrun'
import { NonRetriableError, RetryAfterError } from 'modelrun/webhooks'
import type { Json, Task, TaskFailure } from '../engine/engine.ts'
import { outcomeOf, type PollData } from './run-types.ts'
import { freePlace, fromJson, type RunsContext, storeOutcome, untilStored } from './runs-context.ts'
import { pauseOnRejection } from './submit-run.ts'

/** Polls that brought nothing, after which a job is given up: of a job that is missing, or is older than `giveUpAfterMs`. */
export const POLL_ATTEMPTS = 6

const OUTAGE_DELAY_MS = 5_000

/** Rejections that pass: of a request that came too late or too early, and those that concern all jobs. */
const PASSING = [401, 402, 403, 404, 408, 425, 429]

/**
 * Works a task of the queue `poll`: polls the job of a run, and stores its outcome or polls again later. A job that is given up
 * makes the task dead: its run is `unknown`, because it may have been charged.
 */
export async function pollRun(task: Task, delays: PollDelays, context: RunsContext): Promise<Json | undefined> {
  const data = fromJson<PollData>(task.data)
  const { engine, queues, inbox } = context
  // The delivery of the job came meanwhile.
  if (inbox !== undefined && (await engine.get(queues.outcomes, task.id)) !== undefined) return undefined
  const job = await readJob(task, data, context).catch((error) => endPolls(error, task, context))
  const ageMs = Date.now() - data.submittedAt
  const outcome = outcomeOf(data.jobId, job)
  if (outcome === undefined) {
    const message = `The job ${data.jobId} has not ended: the service says that it is ${job.status}.`
    const delayMs = delays.next(data.model, ageMs)
    return endPolls(pollLater(task, { code: 'JOB_WITHOUT_END', message, delayMs }, context), task, context)
  }
  delays.learn(data.model, ageMs)
  await untilStored(() => storeOutcome(task.id, outcome, context), context.onError)
  // The task of the submit ends without sending, because the job of the run is known.
  if (data.mayBeUnknown) await engine.replay(queues.submit, task.id)
  return undefined
}

/** Throws the error. When it gives the job up, its run is unknown from now on. */
async function endPolls(error: unknown, { id, data }: Task, context: RunsContext): Promise<never> {
  if (!(error instanceof NonRetriableError)) throw error
  await untilStored(() => freePlace(id, context), context.onError)
  // A task of the submit that may be dead ends without sending, because the job of the run is known.
  const { jobId, mayBeUnknown } = fromJson<PollData>(data)
  if (mayBeUnknown) await context.engine.replay(context.queues.submit, id)
  context.metric('unknown', { id, jobId })
  throw error
}

async function readJob(task: Task, { jobId }: PollData, context: RunsContext): Promise<Job> {
  try {
    return await context.client.jobs.get(jobId)
  } catch (error) {
    pauseOnRejection(error, context)
    if (!(error instanceof ModelRunError)) throw error
    const { code, message } = error
    // Also of a wrong `baseUrl`, or of a key of another account: the run may have been charged all the same.
    if (error instanceof NotFoundError) throw countedPoll(task, { code: 'JOB_NOT_FOUND', message })
    const isFinal =
      error instanceof ApiError && error.status >= 400 && error.status < 500 && !PASSING.includes(error.status)
    if (isFinal) throw new NonRetriableError(code, message, { cause: error })
    throw pollLater(task, { code, message, delayMs: OUTAGE_DELAY_MS }, context)
  }
}

/** Polls again, and does not count this poll, however long an outage of the service lasts; but no longer than `giveUpAfterMs`. */
function pollLater(task: Task, problem: TaskFailure & { delayMs: number }, { giveUpAfterMs }: RunsContext): Error {
  const isOld = Date.now() - fromJson<PollData>(task.data).submittedAt > giveUpAfterMs
  return isOld ? countedPoll(task, problem) : new RetryAfterError(problem.delayMs)
}

/** A poll that counts: after several the job is given up. They take half a minute, so that a short disturbance gives up nothing. */
function countedPoll({ attempt }: Task, { code, message }: TaskFailure): Error {
  return attempt < POLL_ATTEMPTS ? new Error(message) : new NonRetriableError(code, message)
}

/** Unknown model: the next poll is after this share of the age of the job, within these limits. */
const UNKNOWN = { share: 0.5, minMs: 500, maxMs: 30_000 }

/** Late job: the next poll is after this share of the time since the job was expected to end. */
const LATE_SHARE = 0.3

/** Known model: the first poll is after this share of the expected duration. */
const EARLY_SHARE = 0.9

/** Weight of a new duration in the moving average. */
const WEIGHT = 0.2

/** Learns the expected duration of each model, so that most jobs are polled once or twice. */
export class PollDelays {
  readonly #expectedMs = new Map<string, number>()

  /** Adds the duration of a finished job. */
  learn(model: string, durationMs: number): void {
    const before = this.#expectedMs.get(model) ?? durationMs
    this.#expectedMs.set(model, before + (durationMs - before) * WEIGHT)
  }

  /** Returns the milliseconds until the next poll of a job of this age. */
  next(model: string, ageMs: number): number {
    const expectedMs = this.#expectedMs.get(model)
    if (expectedMs === undefined) return clamp(ageMs * UNKNOWN.share)
    const dueMs = expectedMs * EARLY_SHARE
    if (ageMs < dueMs) return Math.max(UNKNOWN.minMs, dueMs - ageMs)
    return clamp(Math.max(expectedMs * 0.1, (ageMs - dueMs) * LATE_SHARE))
  }
}

function clamp(delayMs: number): number {
  return Math.min(UNKNOWN.maxMs, Math.max(UNKNOWN.minMs, delayMs))
}
