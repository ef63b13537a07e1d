import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { MOST_REPEATS } from './attempts.ts'
import { cancelJob, jobIdOf, jobStatus, type PolledJob, pollJob, pollRun, readJob } from './jobs.ts'
import type { Session, SessionCall } from './session.ts'

/** Members of the body, and anything else of the call, beside the model and its input. */
export interface RunOptions extends Partial<SessionCall> {
  sync?: boolean | undefined
  webhook_url?: string
}

/** Starts a run of a model with its input. Its price counts against the budget first. */
export function startRun(session: Session, kind: RunKind, options: RunOptions = {}): Promise<ApiResponse> {
  return startRunOf(session, session.target(kind), options)
}

/** The same for any model. */
export async function startRunOf(session: Session, target: ModelTarget, options: RunOptions): Promise<ApiResponse> {
  const { modelId, input, creditsPerRun } = target
  const { sync, webhook_url, ...call } = options
  await session.ledger.spend(creditsPerRun)
  const path = routePath(ROUTES.runModel, { model: modelId })
  return session.call({ body: { input, sync, webhook_url }, ...call, method: 'POST', path })
}

export interface MeasuredOptions extends RunOptions {
  isPolled?: (response: ApiResponse) => boolean
  /** Whether the time in the queue is measured. */
  isMeasured?: boolean
}

/** A run, and its job polled to the end if it has one. */
export async function measuredRun(
  session: Session,
  kind: RunKind,
  { isPolled = () => true, isMeasured = false, ...options }: MeasuredOptions = {},
) {
  const response = await startRun(session, kind, options)
  const polled = isPolled(response) ? await pollRun(session, response, isMeasured) : undefined
  return { response, polled, target: session.target(kind) }
}

/** Whether a synchronous run was held to the end of the hold, so that the model is too slow to be judged by it. */
export function wasHeld(response: ApiResponse): boolean {
  return response.status === 202 && response.durationMs >= LIMITS.syncWaitMs * 0.8
}

/** Whether the job has to be polled to know the outcome of a quick synchronous run. */
export function isUnclear(response: ApiResponse): boolean {
  return at(response.json, '/status') !== 'completed' && !wasHeld(response)
}

/** The result of a run that the service should reject. */
export interface DoubtfulRun {
  response: ApiResponse
  /** Missing when the run made no job. */
  polled?: PolledJob | undefined
  hasSucceeded: boolean
}

/** Sends a run that should be rejected, and polls its job to the end if there is one. */
export async function tryRun(session: Session, kind: RunKind, options: RunOptions): Promise<DoubtfulRun> {
  const response = await startRun(session, kind, { ...options, isOpen: true })
  const jobId = at(response.json, '/job_id')
  const isDone = at(response.json, '/status') === 'completed'
  if (isDone || typeof jobId !== 'string') return { response, hasSucceeded: isDone }
  const polled = await pollJob(session, jobId)
  return { response, polled, hasSucceeded: jobStatus(polled.last) === 'succeeded' }
}

/** Sends an asynchronous run whose response is open, and cancels the job at once. */
export async function probeRun(session: Session, kind: RunKind, options: RunOptions): Promise<ApiResponse> {
  const response = await startRun(session, kind, { sync: false, isOpen: true, ...options })
  const jobId = at(response.json, '/job_id')
  if (typeof jobId === 'string') {
    await cancelJob(session, jobId)
    // Now it is known to be free.
    await readJob(session, jobId)
  }
  return response
}

/** Cancels the job of a run that was just started. */
export async function cancelRunning(session: Session, response: ApiResponse) {
  const jobId = jobIdOf(response)
  const cancel = await cancelJob(session, jobId)
  const after = await pollJob(session, jobId)
  const status = jobStatus(after.last)
  const mayHaveEnded = session.options.models.slow === undefined && (status === 'succeeded' || status === 'failed')
  if (!mayHaveEnded) return { response, cancel, after }
  throw new BlockedError(`the job ${status}, perhaps before the cancel came; give a slow model`, [response, cancel])
}

/** A run with its job, if it was polled. */
interface Attempt {
  response: ApiResponse
  polled?: PolledJob | undefined
}

/**
 * Does `attempt` again when the provider failed, as it may in any run (sections 3 and 7) but that of the failing model.
 *
 * @throws BlockedError when it keeps failing
 */
export async function unlessProviderFails<Run extends Attempt>(
  session: Session,
  kind: RunKind,
  attempt: () => Promise<Run>,
): Promise<Run> {
  if (kind === 'failing') return attempt()
  for (let repeats = 0; ; repeats++) {
    const run = await attempt()
    const failure = failureOf(run)
    session.attempts.add(kind, failure !== undefined)
    if (failure === undefined) return run
    if (repeats === MOST_REPEATS || !session.attempts.takeRepeat(kind))
      throw new BlockedError('the provider failed', failure)
  }
}

/** The response that says that the provider failed. */
function failureOf({ response, polled }: Attempt): ApiResponse | undefined {
  const saysSo = (one: ApiResponse, pointer: string) => at(one.json, `${pointer}/error/code`) === 'PROVIDER_FAILURE'
  if (polled !== undefined && jobStatus(polled.last) === 'failed' && saysSo(polled.last, '/data')) return polled.last
  return saysSo(response, '') ? response : undefined
}
