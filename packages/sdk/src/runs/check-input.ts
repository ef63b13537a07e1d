import { isPlainData, readArguments } from '../arguments/read-options.ts'
import { showValue } from '../arguments/show-value.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { checkSendable } from './sendable-input.ts'

/**
 * The parameters of a run. A copy, because the type of an input may be an interface, which has no index signature.
 *
 * @throws ConfigurationError, InputValidationError
 */
export function checkInput(input: unknown): Record<string, unknown> {
  return readArguments('client.run', () => {
    if (typeof input === 'object') checkSendable(input)
    if (isPlainData(input)) return { ...input }
    throw new ConfigurationError({
      message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }, not ${showValue(input)}. Nothing was sent.`,
    })
  })
}
