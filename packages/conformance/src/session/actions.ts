import { type Permission, ROUTES, routePath, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { sleep } from '../clock.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at } from '../json.ts'
import type { ModelTarget } from '../plan/inputs.ts'
import { type CrossedRun, inputOf } from '../plan/runs.ts'
import { type LimitedKey, lacks } from './keys.ts'
import type { Session, SessionCall } from './session.ts'

/** How the delays between polls start and grow. */
const PACES = {
  normal: { firstMs: 2_000, growth: 5, longestMs: 20_000 },
  /** So that the time in the queue is measured well, and a job is seen to be processed. */
  dense: { firstMs: 100, growth: 1.8, longestMs: 20_000 },
}
/** A job that is queued for longer is cancelled there, so that a slow queue costs few polls. */
const LONGEST_QUEUE_MS = 3_000

export function readJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, path: routePath(ROUTES.getJob, { id: jobId }) })
}

export function cancelJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, method: 'DELETE', path: routePath(ROUTES.cancelJob, { id: jobId }) })
}

/** Status of a job in a response of `GET /v1/jobs/{id}`. */
export function jobStatus(response: ApiResponse): unknown {
  return at(response.json, '/data/status')
}

/** Whether the response to a cancel says that the job is cancelled now. */
export function saysCancelled({ status, json }: ApiResponse): boolean {
  return status < 300 && [at(json, '/status'), at(json, '/data/status')].includes('cancelled')
}

/** Whether a status is one of those that a job ends with. */
export function isTerminal(status: unknown): boolean {
  return TERMINAL_JOB_STATUSES.some((one) => one === status)
}

/** The id of the job in a response to a run. */
export function jobIdIn(response: ApiResponse): string | undefined {
  const jobId = at(response.json, '/job_id')
  return typeof jobId === 'string' && jobId !== '' ? jobId : undefined
}

interface PollOptions {
  /** Ends the polling before the job ends. */
  until?: (response: ApiResponse) => boolean
  /** In the queue. */
  pace?: keyof typeof PACES
  key?: string | undefined
}

/**
 * Polls a job until it ends, the time limit passes, or `until` returns true. The first poll is sent at once.
 *
 * @returns the last response
 */
export async function pollJob(
  session: Session,
  jobId: string,
  { until = () => false, pace = 'normal', key }: PollOptions = {},
): Promise<ApiResponse> {
  const { clock } = session
  const startedAt = clock.now()
  for (let delayMs = PACES[pace].firstMs; ; ) {
    const last = await readJob(session, jobId, { key })
    const isOver = clock.now() - startedAt > session.options.limits.jobMs
    const hasEnded = last.status >= 300 || isTerminal(jobStatus(last))
    if (isOver || hasEnded || until(last)) return last
    await session.balance.readEarly(last.exchange.id)
    await sleep(clock, delayMs)
    const { growth, longestMs } = PACES[jobStatus(last) === 'queued' ? pace : 'normal']
    delayMs = Math.min(delayMs * growth, longestMs)
  }
}

/** Members of the body, and anything else of the call, beside the model and its input. */
export interface RunOptions extends Partial<SessionCall> {
  input?: unknown
  sync?: boolean | undefined
  webhook_url?: string | undefined
}

/** Starts a run of a model. Its price counts against the budget first. */
export async function startRun(session: Session, target: ModelTarget, options: RunOptions = {}): Promise<ApiResponse> {
  const { input = target.input, sync, webhook_url, ...call } = options
  await session.spend(target.creditsPerRun)
  const path = routePath(ROUTES.runModel, { model: target.modelId })
  return session.call({ body: { input, sync, webhook_url }, ...call, method: 'POST', path })
}

/** Sends an asynchronous run whose response is open, and cancels the job at once. */
export async function probeRun(session: Session, options: RunOptions): Promise<ApiResponse> {
  const response = await startRun(session, session.target('main'), { sync: false, isOpen: true, ...options })
  const jobId = jobIdIn(response)
  if (jobId === undefined || at(response.json, '/status') === 'completed') return response
  // Now it is known to be free.
  if (!saysCancelled(await cancelJob(session, jobId))) await readJob(session, jobId)
  return response
}

/** The key of the run where it has the permission: the job may belong to its account. */
export function keyOfJob({ options }: Session, name: LimitedKey | undefined, needed: Permission): string | undefined {
  return name === undefined || lacks(name, needed) ? undefined : options.keys[name]
}

/**
 * Sends a run, and cancels it where that is planned.
 *
 * @param onProcessing called before the cancel of a job that is processed
 */
export async function sendRun(
  session: Session,
  { target, key: name, sync, receiver, cancel, input }: CrossedRun,
  onProcessing?: (jobId: string) => Promise<unknown>,
): Promise<ApiResponse> {
  const key = name && session.options.keys[name]
  const webhook_url = receiver === 'none' ? undefined : session.webhookEndpoints.open(receiver).url
  const started = await startRun(session, target, { input: inputOf(target, input), sync, key, webhook_url })
  const jobId = jobIdIn(started)
  if (jobId === undefined || cancel === 'never') return started
  const reader = { key: keyOfJob(session, name, 'jobs:read') }
  if (cancel === 'when processing') {
    const latest = onProcessing === undefined ? session.clock.now() + LONGEST_QUEUE_MS : Number.POSITIVE_INFINITY
    const until = (read: ApiResponse) => jobStatus(read) !== 'queued' || session.clock.now() > latest
    await pollJob(session, jobId, { until, pace: onProcessing === undefined ? 'dense' : 'normal', ...reader })
  }
  // Shows that the run was held for its slowness, and not until it failed.
  if (cancel === 'after the hold') await readJob(session, jobId, reader)
  await onProcessing?.(jobId)
  const cancelled = await cancelJob(session, jobId, { key: keyOfJob(session, name, 'jobs:write') })
  // Then it is known to be free, and is read at the end of everything.
  if (!saysCancelled(cancelled)) await readJob(session, jobId, reader)
  return started
}
