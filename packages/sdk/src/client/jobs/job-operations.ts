import { type ErrorDetail, type Job, type JobStatus, ROUTES, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { type Attempt, defined, isRecord, memberOf, stringIn } from '@modelrun/kit'
import { type Operation, UnreadableResponse } from '../http/operation.ts'
import { asKnownStatus, jsonIn, parseJson, toJobId, toOutput, wrongShape } from '../http/read-response.ts'

/** The ids of a job, and what is known of its submission. */
export interface JobReference {
  jobId: string
  modelId?: string | undefined
  requestId?: string | undefined
  /** The service's id of the request that started the job, from its header. */
  sentRequestId?: string | undefined
  /** When it was submitted, in milliseconds of this client's clock; undefined when another process did that. */
  submittedAt?: number | undefined
  /** When the service gave its state in the response to the run. */
  seenAt?: number | undefined
  /** That state. */
  state?: Job | undefined
  /** The requests that started it. */
  attempts?: readonly Attempt[] | undefined
  /** The price of a run of the model, in credits, when it was read before the run. */
  creditsPerRun?: number | undefined
}

/** True when this client submitted the job. An id from elsewhere may be wrong. */
export function isConfirmed({ submittedAt }: JobReference): boolean {
  return submittedAt !== undefined
}

/** The call of `GET /v1/jobs/{id}` (section 4.4). */
export function getJobOperation(jobId: string, isJobConfirmed?: boolean): Operation<Job> {
  return {
    route: ROUTES.getJob,
    parameters: { id: jobId },
    jobId,
    isJobConfirmed,
    read: (received) => {
      const data = memberOf(parseJson(received), 'data')
      if (namesOther(data, jobId)) throw new UnreadableResponse('it is about another job')
      return toJob(data, '/data')
    },
  }
}

/** A cache or a gateway may mix up responses: the other job may be that of another user. */
function namesOther(value: unknown, jobId: string): boolean {
  return (toJobId(memberOf(value, 'job_id')) ?? jobId) !== jobId
}

/** The result of a cancellation (section 4.5). */
export interface CancelResult {
  /** Identifier of the job. */
  job_id: string
  /** The status that the service gave: `cancelled`, or another one, for instance of a job that had ended before. */
  status: JobStatus
  /** The job, when it was read because the response to the cancel had no status. */
  job?: Job | undefined
}

/**
 * The call of `DELETE /v1/jobs/{id}`, which gives the status in the response. Any body is accepted but a web page: it is not from
 * the service, and the job continues.
 */
export function cancelJobOperation(jobId: string, isJobConfirmed?: boolean): Operation<JobStatus | undefined> {
  return {
    route: ROUTES.cancelJob,
    parameters: { id: jobId },
    jobId,
    isJobConfirmed,
    read: (received) => {
      if (/^\s*</.test(received.text)) throw new UnreadableResponse('the body is a web page')
      const json = jsonIn(received)
      const data = memberOf(json, 'data')
      if (namesOther(json, jobId) || namesOther(data, jobId)) return undefined
      const status = stringIn(data, 'status') ?? stringIn(json, 'status')
      return status === undefined ? undefined : asKnownStatus(status)
    },
    // An earlier attempt, whose response was lost, may have cancelled the job, which is gone or has ended then. Reading it says so.
    readError: ({ status }, mayHaveArrived) =>
      mayHaveArrived && [404, 409, 410].includes(status) ? { data: undefined } : undefined,
  }
}

/** Whether a job has succeeded, failed or was cancelled: it changes no more. An unknown status is not an end (section 3). */
export function isEnded({ status }: Pick<Job, 'status'>): boolean {
  return (TERMINAL_JOB_STATUSES as readonly string[]).includes(asKnownStatus(status))
}

/**
 * Reads the job (section 4.4) at a JSON pointer, and takes more than the specification shows: a job that has ended must not be lost
 * to the shape of its error or of an item. Only a success must have an output that can be read: until then many services have an
 * empty text, list or object there.
 *
 * @throws UnreadableResponse
 */
export function toJob(value: unknown, at: string): Job {
  if (!isRecord(value)) throw wrongShape(at, 'an object')
  const { error: reported, output: given, ...job } = value
  const reportedStatus = stringIn(value, 'status')
  if (reportedStatus === undefined) throw wrongShape(`${at}/status`, 'a string')
  const status = asKnownStatus(reportedStatus)
  const output = toOutput(given)
  // Services often send `null` for absent members.
  const isLost = output === undefined && given !== undefined && given !== null && status === 'succeeded'
  if (isLost) throw wrongShape(`${at}/output/items`, 'a list')
  const error = errorDetailOf(reported) ?? (status === 'failed' ? NO_REASON : undefined)
  return { ...job, status, ...defined({ output, error }) }
}

/** The error of a failure for which the service has none. */
export const NO_REASON: ErrorDetail = { code: 'UNKNOWN', message: 'The service gave no reason.' }

/** Longest text of an error that has no message, in characters. */
const MAX_LENGTH = 500

/** The error of a job in the shape of the specification. Undefined when there is nothing in it. */
export function errorDetailOf(reported: unknown): ErrorDetail | undefined {
  if (typeof reported !== 'object' || reported === null) return unnamedError(errorTextOf(reported))
  const code = errorTextOf(memberOf(reported, 'code'))
  const message = errorTextOf(memberOf(reported, 'message'))
  if (code !== undefined) return { ...reported, code, message: message ?? NO_REASON.message }
  return unnamedError(message ?? (Object.keys(reported).length > 0 ? JSON.stringify(reported) : undefined))
}

function unnamedError(text: string | undefined): ErrorDetail | undefined {
  return text === undefined ? undefined : { code: 'UNKNOWN', message: text.slice(0, MAX_LENGTH) }
}

function errorTextOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}
