import { ModelRunError, memberOf } from '@modelrun/kit'
import { InputValidationError } from '../client/errors/local-errors.ts'

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
  if (!(error instanceof ModelRunError)) return { type: asWord(memberOf(error, 'name')) }
  const { code, status, attempts } = error
  const words = [
    status === undefined ? attempts.at(-1)?.reason : failedStatus(status),
    memberOf(error, 'apiCode') ?? memberOf(error, 'failureCode'),
    ...pointersIn(error),
  ]
  const known = words.filter((word) => word !== undefined).map(asWord)
  return { type: code, message: known.join(' ') || undefined }
}

function failedStatus(status: number): string | undefined {
  return status >= 400 ? `HTTP ${status}` : undefined
}

/** The names of the parameters that do not fit their model. */
function pointersIn(error: ModelRunError): string[] {
  return error instanceof InputValidationError ? error.issues.map(({ pointer }) => pointer) : []
}

/** A word from elsewhere, such as an error code, if it is a single word; else `_OTHER`. */
export function asWord(word: unknown): string {
  return typeof word === 'string' && /^(?:time limit|(?:HTTP )?[\w./-]{1,64})$/.test(word) ? word : OTHER
}
