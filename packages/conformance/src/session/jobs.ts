import { ROUTES, routePath, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { sleep } from '../clock.ts'
import type { ApiResponse } from '../http/answer.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Session, SessionCall } from './session.ts'

/** What was seen of a job by asking again and again. */
export interface PolledJob {
  jobId: string
  /** Every answer, in order; the first was asked for at once. */
  reads: readonly ApiResponse[]
  last: ApiResponse
  /** When each answer came, on the suite's clock, counted from the beginning of the watch. */
  readAfterMs: readonly number[]
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
const GROWTH = 1.5
/** Slower, so that the time in the queue is known well. */
const GROWTH_IN_QUEUE = 1.1
const TERMINAL: readonly unknown[] = TERMINAL_JOB_STATUSES

export function readJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, path: routePath(ROUTES.getJob, { id: jobId }) })
}

export function cancelJob(session: Session, jobId: string, call: Partial<SessionCall> = {}): Promise<ApiResponse> {
  return session.call({ ...call, method: 'DELETE', path: routePath(ROUTES.cancelJob, { id: jobId }) })
}

/** Status of a job in an answer of `GET /v1/jobs/{id}`. */
export function jobStatus(response: ApiResponse): unknown {
  return at(response.json, '/data/status')
}

/** Whether a status is one of those that a job ends with. */
export function isTerminal(status: unknown): boolean {
  return TERMINAL.includes(status)
}

/** Whether the answer shows a job that goes on. */
function isUnfinished(response: ApiResponse): boolean {
  return response.status < 300 && !isTerminal(jobStatus(response))
}

/** Asks for a job's status until it has ended, the time limit is over, or `until` says so. */
export async function pollJob(
  session: Session,
  jobId: string,
  until: (response: ApiResponse) => boolean = () => false,
): Promise<PolledJob> {
  const { clock } = session
  const startedAt = clock.now()
  const reads: ApiResponse[] = []
  const readAfterMs: number[] = []
  for (let delayMs = FIRST_DELAY_MS; ; ) {
    const last = await readJob(session, jobId)
    reads.push(last)
    readAfterMs.push(clock.now() - startedAt)
    const isOver = clock.now() - startedAt > session.options.limits.jobMs
    if (isOver || !isUnfinished(last) || until(last)) return { jobId, reads, last, readAfterMs }
    await sleep(clock, delayMs)
    const growth = jobStatus(last) === 'queued' ? GROWTH_IN_QUEUE : GROWTH
    delayMs = Math.min(delayMs * growth, LONGEST_DELAY_MS)
  }
}

/** The id of the job that a run answer tells of. */
export function jobIdOf(response: ApiResponse): string {
  const jobId = at(response.json, '/job_id')
  if (typeof jobId === 'string' && jobId !== '') return jobId
  throw new BlockedError(`the run was answered with status ${response.status} and no job_id`, response)
}

/** Follows the job of a run; `undefined` when the answer names none. */
export async function pollRun(session: Session, response: ApiResponse): Promise<PolledJob | undefined> {
  const jobId = at(response.json, '/job_id')
  return typeof jobId === 'string' && jobId !== '' ? pollJob(session, jobId) : undefined
}
