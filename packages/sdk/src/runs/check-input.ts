import { ConfigurationError } from '../errors/local-errors.ts'
import { checkSendable } from './sendable-input.ts'

/**
 * The parameters of a run. A copy, because the type of an input may be an interface, which has no index signature.
 *
 * @throws ConfigurationError, InputValidationError
 */
export function checkInput(input: unknown): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ConfigurationError({
      message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }. Nothing was sent.`,
    })
  }
  checkSendable(input)
  return { ...input }
}
