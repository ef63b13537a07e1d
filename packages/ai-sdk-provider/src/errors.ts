import { APICallError, InvalidArgumentError, type SharedV4Warning } from '@ai-sdk/provider'
import { AbortedError, ModelRunError, type Submission } from 'modelrun'

interface FailedRequest {
  /** Path at the service, or URL of a file. */
  url: string
  /** The input of the run that was sent, or whose file was fetched: a repeated call would send it again. */
  input?: object | undefined
  /** The run whose file was fetched. It was paid. */
  jobId?: string | undefined
  jobIds?: readonly string[] | undefined
}

export function throwAiError(request: FailedRequest): (error: unknown) => never {
  return (error) => {
    throw nameJobs(error instanceof ModelRunError ? toAiError(error, request) : error, request.jobIds ?? [])
  }
}

/**
 * Makes the error for the AI SDK, which repeats the whole call for `APICallError.isRetryable`. That is true only where no run can
 * have been accepted: the run was `not_sent` or `rejected`, or the request was a read of a job that was started before.
 */
function toAiError(error: ModelRunError, { url, input, jobId }: FailedRequest): Error {
  const submission = jobId === undefined ? error.submission : 'accepted'
  const data = { code: error.code, submission, jobId: jobId ?? error.jobId }
  // The members that a message names are those of the cause, and a warning has none.
  const handle = `\`client().jobs.attach('${data.jobId}').`
  const message = error.message.replace('`error.job.', () => handle).replaceAll('`error.', '`error.cause.')
  // The AI SDK recognizes an abort by its name.
  if (error instanceof AbortedError) {
    return Object.assign(new Error(message, { cause: error }), { name: 'AbortError', jobId: data.jobId, data })
  }
  const isFree = submission === 'not_sent' || submission === 'rejected'
  // A wrong option, or a price above `maxCredits`. The error says it all.
  if (isFree && !error.isRetryable && error.status === undefined) return error
  return new APICallError({
    message,
    url,
    requestBodyValues: input ?? {},
    isRetryable: (isFree || input === undefined) && error.isRetryable,
    data,
    cause: error,
    ...(error.status !== undefined && { statusCode: error.status }),
    ...(error.retryAfterMs !== undefined && { responseHeaders: { 'retry-after-ms': String(error.retryAfterMs) } }),
  })
}

/** The error for an argument that is wrong, before anything is paid. */
export function reject(argument: string, reason: string, cause?: unknown): never {
  throw new InvalidArgumentError({ argument, message: `${argument}: ${reason} Nothing was sent.`, cause })
}

/** The error for a run whose end is known, or that must not be sent again. */
export function runError(
  message: string,
  {
    url,
    ...data
  }: { url: string; code: string; submission: Submission; jobId?: string | undefined; key?: string | undefined },
): APICallError {
  return new APICallError({ message, url, requestBodyValues: {}, isRetryable: false, data })
}

export function servicePath(...parts: string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`
}

/** What an error says of its run, also one of the client. */
function dataOf(error: unknown): object {
  const data = error instanceof Error && 'data' in error ? error.data : error
  return typeof data === 'object' && data !== null ? data : {}
}

function jobIdsIn(errors: readonly unknown[]): string[] {
  return errors.flatMap((error) => {
    const data = dataOf(error)
    return 'jobId' in data && typeof data.jobId === 'string' ? [data.jobId] : []
  })
}

/** Names all jobs of a call of several runs in its error, as `jobIds`: they were paid, or will be. */
export function nameJobs<E>(error: E, jobIds: readonly string[]): E {
  const all = [...new Set([...jobIds, ...jobIdsIn([error])])]
  if (!(error instanceof Error) || all.length === 0) return error
  const data = 'data' in error ? dataOf(error) : {}
  return Object.assign(error, { jobIds: all, data: { ...data, jobIds: all } })
}

function mayBePaid(error: unknown): boolean {
  const data = dataOf(error)
  return 'submission' in data && data.submission !== 'not_sent' && data.submission !== 'rejected'
}

/**
 * The values of what succeeded, and a warning for each failure: what was paid for is not lost because another part failed.
 *
 * @param jobIds of the runs that did not fail
 * @param wanted how many values the call is for
 * @returns also the jobs without a value. They may continue
 * @throws when nothing succeeded, or when the caller aborted. Repeating the call would repeat all of its runs, so an error of a run
 *   that may be paid counts before the others, and then one that must not be repeated
 */
export function keepSucceeded<Value>(
  settled: readonly PromiseSettledResult<Value>[],
  { jobIds, wanted = settled.length }: { jobIds: readonly string[]; wanted?: number | undefined },
) {
  const values = settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const errors: unknown[] = settled.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []))
  const aborted = errors.find((error) => error instanceof Error && error.name === 'AbortError')
  if (aborted !== undefined || values.length === 0) {
    const final = errors.find((error) => !(APICallError.isInstance(error) && error.isRetryable))
    const worst = aborted ?? errors.find(mayBePaid) ?? final ?? errors[0]
    throw nameJobs(worst, [...jobIds, ...jobIdsIn(errors)])
  }
  const missed = Math.max(errors.length, wanted - values.length)
  const count = `${missed} of ${values.length + missed} files are missing`
  const warnings = errors.map((error): SharedV4Warning => {
    const reason = error instanceof Error ? error.message : String(error)
    const unnamed = jobIdsIn([error]).filter((jobId) => !reason.includes(jobId))
    const job = unnamed.map((jobId) => ` It is of the job ${jobId}.`).join('')
    // The AI SDK prints warnings: no text of a service controls a terminal.
    const clean = reason.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    return { type: 'other', message: `${count}; the others are here. ${clean}${job}` }
  })
  if (missed > 0 && errors.length === 0)
    warnings.push({ type: 'other', message: `${count}: runs that succeeded had fewer than they take.` })
  return { values, warnings, missing: [...new Set(jobIdsIn(errors))].map((jobId) => ({ jobId })) }
}
