import { ConfigurationError, isRecord, readArguments, showValue } from '@modelrun/kit'
import { InputValidationError } from '../errors/local-errors.ts'
import { loadPart } from '../load-part.ts'
import { describeIssues, readJson } from './json.ts'
import type { Preflight } from './preflight.ts'
import type { PreflightOptions } from './run-options.ts'

/**
 * Reads the input of a run as every call of the client sends it: as JSON. An input that JSON would change or empty without a
 * word is rejected: files, functions, `NaN`, invalid dates, `undefined` in a list, a Map, an object that contains itself.
 *
 * @returns A plain copy. Members that are undefined are left out, and `toJSON` has been called
 * @throws InputValidationError with a JSON pointer to each of these
 * @throws ConfigurationError for an input that is not an object of parameters
 */
export function checkInput(input: unknown): Record<string, unknown> {
  return readArguments('client.run', () => {
    const { json, issues } = readJson(input)
    if (typeof input === 'object' && issues.length > 0) {
      const message = `The input cannot be sent as JSON. ${describeIssues(issues, 'The input')} Nothing was sent.`
      throw new InputValidationError({ message, issues })
    }
    if (isRecord(json)) return json
    throw new ConfigurationError({
      message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }, not ${showValue(input)}. Nothing was sent.`,
    })
  })
}

/** True when a run is to be checked against its model before it is sent. */
export function needsModel({ maxCredits, validateInput }: PreflightOptions): boolean {
  return maxCredits !== undefined || validateInput === true
}

/** The check of a run against its model. Loaded before a time limit of the run starts. @throws ConnectionError */
export async function loadPreflight(): Promise<Preflight> {
  const { preflight } = await loadPart(() => import('./preflight.ts'))
  return preflight
}
