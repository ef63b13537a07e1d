import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import type { RunKind } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import { cancelJob, type JobWatch, jobIdOf, jobStatus, watchJob } from './jobs.ts'
import type { Session, SessionCall } from './session.ts'

/** Members of the body, and anything else of the call, beside the model and its input. */
export interface RunOptions extends Partial<SessionCall> {
  sync?: boolean
  webhook_url?: string
}

/** Starts a run of a model with its usual input. Its price counts against the budget first. */
export function startRun(session: Session, kind: RunKind, options: RunOptions = {}): Promise<Answer> {
  const { modelId, input, creditsPerRun } = session.target(kind)
  const { sync, webhook_url, ...call } = options
  session.ledger.spend(creditsPerRun)
  const path = routePath(ROUTES.runModel, { model: modelId })
  return session.call({ body: { input, sync, webhook_url }, ...call, method: 'POST', path })
}

/** Whether a synchronous run was held to the end of the hold, so that the model is too slow to be judged by it. */
export function wasHeld(answer: Answer): boolean {
  return answer.status === 202 && answer.durationMs >= LIMITS.syncWaitMs * 0.8
}

/** What became of a run that the service should not take. */
export interface DoubtfulRun {
  answer: Answer
  /** Missing when the run made no job. */
  watch?: JobWatch | undefined
  hasSucceeded: boolean
}

/** Sends a run that should be refused, and follows the job to its end if there is one. */
export async function tryRun(session: Session, kind: RunKind, options: RunOptions): Promise<DoubtfulRun> {
  const answer = await startRun(session, kind, options)
  const jobId = at(answer.json, '/job_id')
  const isDone = at(answer.json, '/status') === 'completed'
  if (isDone || typeof jobId !== 'string') return { answer, hasSucceeded: isDone }
  const watch = await watchJob(session, jobId)
  return { answer, watch, hasSucceeded: jobStatus(watch.last) === 'succeeded' }
}

/** Sends an asynchronous run to see how it is answered, and cancels its job at once. */
export async function probeRun(session: Session, kind: RunKind, options: RunOptions): Promise<Answer> {
  const answer = await startRun(session, kind, { sync: false, ...options })
  const jobId = at(answer.json, '/job_id')
  if (typeof jobId === 'string') await cancelJob(session, jobId)
  return answer
}

/** A cancel of a job that went on, and what the job's status said then. */
export interface CancelledRun {
  started: Answer
  cancel: Answer
  after: JobWatch
}

/** Cancels the job of a run that was just started. */
export async function cancelRunning(session: Session, started: Answer): Promise<CancelledRun> {
  const jobId = jobIdOf(started)
  const cancel = await cancelJob(session, jobId)
  const after = await watchJob(session, jobId)
  const status = jobStatus(after.last)
  const mayHaveEnded = session.options.models.slow === undefined && (status === 'succeeded' || status === 'failed')
  if (!mayHaveEnded) return { started, cancel, after }
  throw new BlockedError(`the job ${status}, perhaps before the cancel came; give a slow model`, [started, cancel])
}
