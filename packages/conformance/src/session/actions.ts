import { JOB_STATUSES, ROUTES, routePath, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { sleep } from '@modelrun/kit'
import { BlockedError } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, itemsOf, show } from '../json.ts'
import { edgeInput, type ModelTarget } from '../plan/inputs.ts'
import type { PlannedRun } from '../plan/runs.ts'
import { priceOf } from '../plan/targets.ts'
import type { Session, SessionCall } from './session.ts'

/** The first delay between polls is short, so that a quick job is seen to be processed. */
const FIRST_POLL_MS = 500
const GROWTH = 4
const LONGEST_POLL_MS = 20_000
/** A job that is queued for longer is cancelled there, so that a slow queue costs few polls. */
const LONGEST_QUEUE_MS = 3_000

export function readJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, path: routePath(ROUTES.getJob, { id: jobId }) })
}

export function cancelJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, method: 'DELETE', path: routePath(ROUTES.cancelJob, { id: jobId }) })
}

export function jobStatus(response: ApiResponse): unknown {
  return at(response.json, '/data/status')
}

/** Whether the response to a cancel says that the job is cancelled now. */
export function saysCancelled({ status, json }: ApiResponse): boolean {
  return status < 300 && [at(json, '/status'), at(json, '/data/status')].includes('cancelled')
}

/** Whether a poll shows one of the statuses that a job ends with. */
export function hasEnded(read: ApiResponse): boolean {
  return TERMINAL_JOB_STATUSES.some((status) => status === jobStatus(read))
}

/** Whether a poll shows a job that continues. One with a status that is not known is not waited for. */
export function isUnfinished(read: ApiResponse): boolean {
  return !hasEnded(read) && JOB_STATUSES.some((status) => status === jobStatus(read))
}

export function jobIdIn(response: ApiResponse): string | undefined {
  const jobId = at(response.json, '/job_id')
  return typeof jobId === 'string' && jobId !== '' ? jobId : undefined
}

/**
 * Polls a job until it ends, the time limit passes, or `until` returns true. The first poll is sent at once.
 *
 * @returns the last response
 */
export async function pollJob(
  session: Session,
  jobId: string,
  { until = () => false, key }: { until?: (response: ApiResponse) => boolean; key?: string | undefined } = {},
): Promise<ApiResponse> {
  const { clock, options } = session
  const startedAt = clock.now()
  for (let delayMs = FIRST_POLL_MS; ; ) {
    const last = await readJob(session, jobId, { key })
    const leftMs = options.limits.jobMs - (clock.now() - startedAt)
    if (leftMs < 0 || last.status >= 300 || !isUnfinished(last) || until(last)) return last
    if (delayMs === LONGEST_POLL_MS)
      options.onProgress(`waiting for ${jobId} (${show(jobStatus(last))}), at most ${Math.round(leftMs / 1000)} s`)
    await sleep(clock, delayMs)
    delayMs = Math.min(delayMs * GROWTH, LONGEST_POLL_MS)
  }
}

/** Members of the body, and anything else of the call, beside the model and its input. */
export interface RunOptions extends Partial<SessionCall> {
  input?: unknown
  sync?: boolean | undefined
  webhook_url?: string | undefined
}

/** Starts a run of a model, at the price that was planned. It counts against the budget first. */
export async function startRun(session: Session, target: ModelTarget, options: RunOptions = {}): Promise<ApiResponse> {
  const { input = target.input, sync, webhook_url, ...call } = options
  const { status, json } = await session.call({ path: routePath(ROUTES.getModel, { id: target.modelId }) })
  const price = status === 200 ? show(priceOf(json)) : `not known (HTTP ${status})`
  if (price !== show(target.creditsPerRun))
    throw new BlockedError(`the price of ${target.modelId} is ${price} now; it was ${target.creditsPerRun}`)
  await session.spend(target.creditsPerRun)
  const path = routePath(ROUTES.runModel, { model: target.modelId })
  const started = await session.call({ body: { input, sync, webhook_url }, ...call, method: 'POST', path })
  const jobId = jobIdIn(started)
  // A user who ends the suite gets no report: this says what may be charged.
  if (jobId !== undefined) session.options.onProgress(`${jobId}: a run of ${target.modelId}, for ${price}`)
  return started
}

/** Sends a run, and cancels it where that is planned. */
export async function sendRun(
  session: Session,
  { target, sync, receiver, cancel, input, isTried }: PlannedRun,
): Promise<ApiResponse> {
  const webhook_url = receiver && session.webhookEndpoints.open(receiver).url
  const started = await startRun(session, target, { input: edgeInput(target, input), sync, webhook_url })
  const jobId = jobIdIn(started)
  if (jobId === undefined || cancel === undefined) return started
  const isSlow = isTried && session.targets.slow !== undefined
  if (cancel === 'when processing') {
    const latest = isSlow ? Number.POSITIVE_INFINITY : session.clock.now() + LONGEST_QUEUE_MS
    await pollJob(session, jobId, { until: (read) => jobStatus(read) !== 'queued' || session.clock.now() > latest })
  }
  // Shows that the run was held for its slowness, and not until it failed.
  if (cancel === 'after the hold') await readJob(session, jobId)
  if (isSlow) await cancelWithWrongKeys(session, jobId)
  // When it says so, it is known to be free, and is read at the end of everything.
  if (!saysCancelled(await cancelJob(session, jobId))) await readJob(session, jobId)
  return started
}

/** The read afterwards shows whether they did something. */
async function cancelWithWrongKeys(session: Session, jobId: string): Promise<void> {
  await cancelJob(session, jobId, { authorization: null })
  const { keys } = session.options
  for (const key of [keys['without-jobs-write'], keys['read-only']])
    if (key !== undefined) await cancelJob(session, jobId, { key })
  await readJob(session, jobId)
}

const MOST_FILES = 4

/** Reads the files of an output right after its job ended: a service need not keep them (section 2.5). */
export async function readFiles(session: Session, { json }: ApiResponse): Promise<void> {
  const items = [at(json, '/output/items'), at(json, '/data/output/items')].flatMap(itemsOf).slice(0, MOST_FILES)
  const urls = items.map((item) => String(at(item, '/url')))
  // Those without http are judged elsewhere.
  for (const url of urls) if (/^https?:/i.test(url)) session.files.push(await session.parts.download(url))
}
