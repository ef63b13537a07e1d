import { isModelRunError, type Job, NotFoundError } from 'modelrun'
import { Again } from 'modelrun/webhooks'
import type { Json, Task } from '../engine/engine.ts'
import { pauseOnRejection } from './pause-on-rejection.ts'
import type { PollDelays } from './poll-delay.ts'
import { outcomeOf, type PollData } from './run-types.ts'
import { asJson, fromJson, type RunsContext, untilStored } from './runs-context.ts'

/** Polls of a job that the service does not have, until the run counts as failed. */
export const POLL_ATTEMPTS = 6

const OUTAGE_DELAY_MS = 5_000

/** Works a task of the queue `poll`: polls the job of a run, and stores its outcome or polls again later. */
export async function pollRun(task: Task, delays: PollDelays, context: RunsContext): Promise<Json | undefined> {
  const data = fromJson<PollData>(task.data)
  const ageMs = Date.now() - data.submittedAt
  const { engine, queues, inbox, onError } = context
  // The delivery of the job came meanwhile.
  if (inbox !== undefined && (await engine.get(queues.outcomes, task.id)) !== undefined) return undefined
  const outcome = outcomeOf(data.jobId, await readJob(task, data, context))
  if (outcome === undefined) throw new Again(delays.next(data.model, ageMs))
  delays.learn(data.model, ageMs)
  await untilStored(() => engine.add(queues.outcomes, task.id, { data: asJson(outcome) }), onError)
  // The task of the submit ends without sending, because the job of the run is known.
  if (data.mayBeUnknown) await engine.replay(queues.submit, task.id)
  return undefined
}

async function readJob(task: Task, { jobId }: PollData, context: RunsContext): Promise<Job> {
  try {
    return await context.client.jobs.get(jobId)
  } catch (error) {
    pauseOnRejection(error, context)
    const isMissing = error instanceof NotFoundError
    if (isMissing && task.attempt < POLL_ATTEMPTS) throw error
    if (isMissing) return { status: 'failed', error: { code: 'JOB_NOT_FOUND', message: error.message } }
    if (!isModelRunError(error)) throw error
    // An outage of the service is not a failed attempt, however long it lasts.
    throw new Again(OUTAGE_DELAY_MS)
  }
}
