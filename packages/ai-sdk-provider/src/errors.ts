import { APICallError, InvalidArgumentError, type SharedV4Warning } from '@ai-sdk/provider'
import { AbortedError, ModelRunError, type Submission } from 'modelrun'

/** What failed. */
interface FailedRequest {
  /** Path at the service, or URL of a file. */
  url: string
  /** The input of the run that was sent, or whose file was fetched: a repeated call would send it again. */
  input?: object | undefined
  /** The run whose file was fetched. It was paid. */
  jobId?: string | undefined
}

/** Rethrows a client error as an AI SDK error. */
export function throwAiError(request: FailedRequest): (error: unknown) => never {
  return (error) => {
    throw error instanceof ModelRunError ? toAiError(error, request) : error
  }
}

/**
 * Makes the error for the AI SDK, which repeats the whole call for `APICallError.isRetryable`. That is true only where no run can
 * have been accepted: the run was `not_sent` or `rejected`, or the request was a read of a job that was started before.
 */
function toAiError(error: ModelRunError, { url, input, jobId }: FailedRequest): Error {
  const submission = jobId === undefined ? error.submission : 'accepted'
  const data = { code: error.code, submission, jobId: jobId ?? error.jobId }
  // The AI SDK recognizes an abort by its name.
  if (error instanceof AbortedError) {
    return Object.assign(new Error(error.message, { cause: error }), { name: 'AbortError', jobId: data.jobId })
  }
  const isFree = submission === 'not_sent' || submission === 'rejected'
  // A wrong option, or a price above `maxCredits`. The error says it all.
  if (isFree && !error.isRetryable && error.status === undefined) return error
  return new APICallError({
    message: error.message,
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

/** The path of a request, for errors. */
export function servicePath(...parts: string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`
}

/**
 * The values of what succeeded, and a warning for each failure: what was paid for is not lost because another part failed.
 *
 * @throws when nothing succeeded, or when the caller aborted. Repeating the call would repeat all of its runs, so an error that
 *   must not be repeated counts before the others
 */
export function keepSucceeded<Value>(settled: readonly PromiseSettledResult<Value>[]) {
  const values = settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const errors: unknown[] = settled.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []))
  const aborted = errors.find((error) => error instanceof Error && error.name === 'AbortError')
  const final = errors.find((error) => !(APICallError.isInstance(error) && error.isRetryable))
  if (aborted !== undefined || values.length === 0) throw aborted ?? final ?? errors[0]
  const warnings = errors.map((error): SharedV4Warning => {
    const reason = error instanceof Error ? error.message : String(error)
    return { type: 'other', message: `${errors.length} of ${settled.length} failed; the others are here. ${reason}` }
  })
  return { values, warnings }
}
