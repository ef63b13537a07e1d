import { ROUTES, routePath, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { sleep } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Session, SessionCall } from './session.ts'

/** The polls of a job. */
export interface PolledJob {
  jobId: string
  /** Every response in order; the first poll is sent at once. */
  reads: readonly ApiResponse[]
  last: ApiResponse
}

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 20_000
const GROWTH = 4
/** Shorter, and growing slower, so that the time in the queue is measured well. */
const SHORT_DELAY_MS = 100
const GROWTH_IN_QUEUE = 1.25
const TERMINAL: readonly unknown[] = TERMINAL_JOB_STATUSES

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

/** Whether a status is one of those that a job ends with. */
export function isTerminal(status: unknown): boolean {
  return TERMINAL.includes(status)
}

/** Whether the response shows an unfinished job. */
function isUnfinished(response: ApiResponse): boolean {
  return response.status < 300 && !isTerminal(jobStatus(response))
}

/** How a job is polled. */
interface PollOptions {
  /** Ends the polling before the job ends. */
  until?: (response: ApiResponse) => boolean
  /** Often enough to measure the time in the queue. */
  isMeasured?: boolean
  key?: string | undefined
}

/** Polls a job until it ends, the time limit passes, or `until` returns true. */
export async function pollJob(
  session: Session,
  jobId: string,
  { until = () => false, isMeasured = false, key }: PollOptions = {},
): Promise<PolledJob> {
  const { clock } = session
  const startedAt = clock.now()
  const reads: ApiResponse[] = []
  for (let delayMs = isMeasured ? SHORT_DELAY_MS : FIRST_DELAY_MS; ; ) {
    const last = await readJob(session, jobId, { key })
    reads.push(last)
    const isOver = clock.now() - startedAt > session.options.limits.jobMs
    if (isOver || !isUnfinished(last) || until(last)) return { jobId, reads, last }
    await sleep(clock, delayMs)
    const growth = isMeasured && jobStatus(last) === 'queued' ? GROWTH_IN_QUEUE : GROWTH
    delayMs = Math.min(delayMs * growth, LONGEST_DELAY_MS)
  }
}

/** The job id in the response to a run. */
export function jobIdOf(response: ApiResponse): string {
  const jobId = at(response.json, '/job_id')
  if (typeof jobId === 'string' && jobId !== '') return jobId
  throw new BlockedError(`the response to the run has the status ${response.status} and no job_id`, response)
}

/** Polls the job of a run to its end; `undefined` when the response has no job id. */
export async function pollRun(
  session: Session,
  response: ApiResponse,
  isMeasured = false,
): Promise<PolledJob | undefined> {
  const jobId = at(response.json, '/job_id')
  return typeof jobId === 'string' && jobId !== '' ? pollJob(session, jobId, { isMeasured }) : undefined
}
