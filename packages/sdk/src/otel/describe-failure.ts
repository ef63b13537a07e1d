import { ModelRunError } from '@modelrun/kit'
import { ApiError } from '../client/errors/api-errors.ts'
import { JobCancelledError, JobFailedError } from '../client/errors/job-errors.ts'
import { BudgetExceededError, InputValidationError } from '../client/errors/local-errors.ts'
import {
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  InvalidResponseError,
} from '../client/errors/transport-errors.ts'

/** The description of an error in a span. */
export interface FailureDescription {
  /** For `error.type`: the stable `code` of errors of this package, the name of other errors. */
  type: string
  message?: string | undefined
}

/** OpenTelemetry's `error.type` for an unknown error. */
const OTHER = '_OTHER'

/**
 * Describes an error without any text that the service, the input, the network or the caller may have written: it could
 * quote the prompt or a callback url, and more people read traces than may read prompts.
 */
export function describeFailure(error: unknown): FailureDescription {
  if (error instanceof ModelRunError) return { type: error.code, message: messageOf(error) }
  return { type: asWord(error instanceof Error ? error.name : undefined) }
}

/** A word from elsewhere, such as an error code, if it is a single word; else `_OTHER`. */
export function asWord(text: string | undefined): string {
  return text !== undefined && /^(?:time limit|(?:HTTP )?[\w.-]{1,64})$/.test(text) ? text : OTHER
}

/** Why a request did not succeed, in a word: an HTTP status, the code of a failed connection, or that of the error. */
function reasonOf(error: ModelRunError): string {
  const reason = asWord(error.attempts.at(-1)?.reason)
  return reason === OTHER ? error.code : reason
}

/** Undefined for errors whose message may quote the service, the input or the network. */
function messageOf(error: ModelRunError): string | undefined {
  if (error instanceof ApiError)
    return `HTTP ${error.status}${error.apiCode === undefined ? '' : ` ${asWord(error.apiCode)}`}`
  if (error instanceof JobFailedError) return `The job failed: ${asWord(error.failureCode)}`
  if (error instanceof DeadlineExceededError) return 'deadlineMs passed'
  if (error instanceof ConnectionError) return `The connection failed: ${reasonOf(error)}`
  if (error instanceof InvalidResponseError)
    return `A response cannot be used${error.status === undefined ? '' : `: HTTP ${error.status}`}`
  if (error instanceof InputValidationError) {
    return `The input does not fit the model: ${error.issues.map(({ pointer }) => pointer || 'no such model').join(', ')}`
  }
  const isOurText =
    error instanceof AttemptTimeoutError || error instanceof JobCancelledError || error instanceof BudgetExceededError
  return isOurText ? error.message : undefined
}
