import type { Json, Task, TaskFailure, TaskHandler } from '@modelrun/kit'
import { createDurations, jitter, NewestMap, pollDelayMs, stringIn } from '@modelrun/kit'
import { ApiError, type Job, ModelRunError } from 'modelrun'
import { NonRetriableError, RetryAfterError } from 'modelrun/webhooks'
import { warn } from '../engine/table-engine.ts'
import { pauseOnRejection, reportOutage } from './pauses.ts'
import { type Outcome, outcomeOf, type PollData, type Took } from './run-types.ts'
import {
  freePlace,
  fromJson,
  type RunsContext,
  releaseLast,
  reportEnd,
  resubmitsOf,
  stored,
  storeOutcome,
  workNow,
} from './runs-context.ts'

/** Polls that brought nothing, after which a job is given up: of a job that is missing, or is older than `giveUpAfterMs`. */
export const POLL_ATTEMPTS = 6

/** The wait after a poll that failed: as long as the outage lasts, within these limits. */
const [SHORTEST_DELAY_MS, LONGEST_DELAY_MS] = [500, 5_000]

/** The statuses of a job that continues (section 3). */
const RUNNING: readonly string[] = ['queued', 'processing']

/** Rejections that pass: of a request that came too late or too early. Those of the key and the rate pause the polls before. */
const PASSING = [408, 425]

/**
 * Works a task of the queue `poll`: polls the job of a run, and stores its outcome or polls again later. A job that is given up
 * makes the task dead: its run is `unknown`, because it may have been charged.
 */
export async function pollRun(
  task: Task,
  delays: ReturnType<typeof createPollDelays>,
  context: RunsContext,
): Promise<Json | undefined> {
  const data = fromJson<PollData>(task.data)
  const { engine, queues, inbox } = context
  // The delivery of the job came meanwhile.
  if (inbox !== undefined && (await engine.get(queues.outcomes, task.id)) !== undefined) return undefined
  const job = await readJob(task, data, context).catch((error) => endPolls(error, task, context))
  const outcome = outcomeOf(data.jobId, job)
  if (job.status === 'succeeded' && outcome === undefined) {
    const message = `The job ${data.jobId} has succeeded, and the service sends no output.`
    throw await endPolls(countedPoll(task, { code: 'JOB_WITHOUT_OUTPUT', message }), task, context)
  }
  if (outcome === undefined) {
    const message = `The job ${data.jobId} has not ended: the service says that it is ${job.status}.`
    if (!RUNNING.includes(job.status)) delays.warnOf(job.status, data.jobId)
    await delays.read(context)
    const delayMs = delays.next(task.id, data, inbox !== undefined)
    return endPolls(pollLater(task, { code: 'JOB_WITHOUT_END', message, delayMs }, context), task, context)
  }
  const took = delays.end(task.id, data)
  const isUnsettled = () => leavesUnknown(task.id, outcome, { data, context })
  if (data.mayBeResubmit && (await stored(isUnsettled, context))) return endSend(outcome, task, context)
  const { requestId } = data
  const end = outcome.state === 'succeeded' ? { ...outcome, took, requestId } : { ...outcome, requestId }
  await stored(() => storeOutcome(task.id, end, context), context)
  // The task of the submit ends without sending, because the job of the run is known.
  if (data.mayBeUnknown) await engine.replay(queues.submit, task.id)
  return undefined
}

/** Of which run a job has ended. */
interface OfRun {
  data: PollData | undefined
  context: RunsContext
}

/**
 * Whether a job that did not succeed leaves its run unknown: an earlier send of it may be charged, and succeed. A job that a person
 * has named is that of the run.
 */
async function leavesUnknown(id: string, { state }: Outcome, job: OfRun): Promise<boolean> {
  const { data, context } = job
  if (state === 'succeeded' || data?.mayBeUnknown) return false
  return (await resubmitsOf(id, context)) > 0
}

/** As the end of a job that was learned elsewhere than by a poll. False when that is the end of its run. */
export async function leaveUnknown(id: string, outcome: Outcome, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const polled = await engine.get(queues.poll, id)
  const data = polled && fromJson<PollData>(polled.data)
  if (!(await leavesUnknown(id, outcome, { data, context }))) return false
  const handler: TaskHandler = (task) => endSend(outcome, task, context)
  if (data?.jobId === stringIn(outcome, 'jobId')) await workNow('poll', id, { handler, context })
  return true
}

/** Ends the polls of a job that did not succeed, and leaves its run unknown. */
async function endSend(outcome: Outcome, task: Task, context: RunsContext): Promise<never> {
  const { state, error } = { error: undefined, ...outcome }
  if (state === 'cancelled') await stored(() => releaseLast(task.id, context), context)
  const message = `The run was sent before, and that send may be charged. Of its last job: ${error?.message}`
  return endPolls(new NonRetriableError('unknown', message), task, context)
}

/** Throws the error. When it gives the job up, its run is unknown from now on. */
async function endPolls(error: unknown, { id, data }: Task, context: RunsContext): Promise<never> {
  if (!(error instanceof NonRetriableError)) throw error
  await stored(() => freePlace(id, context), context)
  // A task of the submit that may be dead ends without sending, because the job of the run is known.
  const { jobId, mayBeUnknown } = fromJson<PollData>(data)
  if (mayBeUnknown) await context.engine.replay(context.queues.submit, id)
  const { code, message } = error
  reportEnd(id, { state: 'unknown', jobId, error: { code, message } }, context)
  throw error
}

async function readJob(task: Task, { jobId }: PollData, context: RunsContext): Promise<Job> {
  try {
    // Repeating is up to the task.
    const job = await context.client.jobs.get(jobId, { signal: task.signal, maxRetries: 0 })
    reportOutage('poll', undefined, context)
    return job
  } catch (error) {
    // The batch stops here: it is polled elsewhere, or after a start.
    if (task.signal.aborted) throw new RetryAfterError(0)
    await pauseOnRejection('poll', error, context)
    if (!(error instanceof ModelRunError)) throw error
    const { code, message } = error
    // The page of a gateway has no code, and says nothing about the job.
    const status = error instanceof ApiError && error.apiCode !== undefined ? error.status : 0
    // Also with a key of another account: the run may have been charged all the same.
    if (status === 404) throw countedPoll(task, { code: 'JOB_NOT_FOUND', message })
    if (status >= 400 && status < 500 && !PASSING.includes(status))
      throw new NonRetriableError(code, message, { cause: error })
    const delayMs = Math.min(LONGEST_DELAY_MS, Math.max(SHORTEST_DELAY_MS, reportOutage('poll', error, context)))
    throw pollLater(task, { code, message, delayMs }, context)
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

/** Shortest and longest interval between two polls of a job that may end at any moment. */
const LIMITS = { initialIntervalMs: 500, maxIntervalMs: 30_000 }

/** Jobs that were sent together are not polled together; a tenth of more than this would make long waits late. */
const LONGEST_JITTER_MS = 5_000

/** The wall clock and the time of the process may differ by this much before the wall clock counts as set, or the machine as suspended. */
const STEADY_MS = 1_000

/** Jobs that are remembered between two polls. Another process may see the end of one. */
const MOST_SEEN = 10_000

/** Ends that are read from the store for a start. */
const READ_ENDS = 100

/** When each job is polled: from the durations that this batch has seen. */
export function createPollDelays() {
  const durations = createDurations()
  /** The ages at which polls of this process last found jobs running, by the run. */
  const running = new NewestMap<string, number>(MOST_SEEN)
  let offset = offsetMs()
  /** From then on the wall clock went as the time of this process did. */
  let steadySince = Date.now()
  let reading: Promise<void> | undefined
  const unknown = new Set<string>()

  async function readEnds({ engine, queues }: RunsContext): Promise<void> {
    for (const { data } of await engine.list(queues.outcomes, 'waiting', { limit: READ_ENDS })) {
      const { took } = fromJson<Outcome>(data)
      if (took !== undefined) durations.learn(took.model, took)
    }
  }

  function isSteadySince(at: number): boolean {
    const now = offsetMs()
    if (Math.abs(now - offset) > STEADY_MS) steadySince = Date.now()
    offset = now
    return at >= steadySince
  }

  return {
    /** A job of an unknown status may have ended. Warns once of each status. */
    warnOf: (status: string, jobId: string): void => {
      if (unknown.has(status)) return
      unknown.add(status)
      warn(`The job ${jobId} has the unknown status ${JSON.stringify(status)}. It is polled on, as one that runs.`)
    },
    /** Learns what earlier processes of the batch have seen. */
    read: (context: RunsContext): Promise<void> => {
      reading ??= readEnds(context).catch(context.onError)
      return reading
    },
    /** Returns the milliseconds until the next poll of a job that is running now. */
    next: (id: string, { model, submittedAt }: PollData, hasWebhook: boolean): number => {
      const ageMs = Date.now() - submittedAt
      running.set(id, ageMs)
      const delayMs = pollDelayMs({ ageMs, expected: durations.of(model), hasWebhook }, LIMITS)
      return delayMs + jitter(Math.min(delayMs, LONGEST_JITTER_MS), [-0.1, 0.1])
    },
    /** A poll has found a job finished. Returns how long it took, if that is known: not of a job from before a jump of the clock. */
    end: (id: string, { model, submittedAt }: PollData): Took | undefined => {
      const took = { model, runningMs: running.get(id) ?? 0, finishedMs: Date.now() - submittedAt }
      running.delete(id)
      return isSteadySince(submittedAt) && durations.learn(model, took) ? took : undefined
    },
  }
}

/** The wall clock, less the time of this process, which is never set, and which may stop while the machine is suspended. */
function offsetMs(): number {
  return Date.now() - performance.now()
}
