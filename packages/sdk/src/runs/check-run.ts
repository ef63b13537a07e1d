import { LIMITS, type Model } from '@modelrun/contract'
import { ConfigurationError, closestName, isRecord, readArguments, showValue } from '@modelrun/kit'
import type { Core } from '../core.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { BudgetExceededError, InputValidationError } from '../errors/local-errors.ts'
import type { CallContext } from '../http/operation.ts'
import { listModelsOperation } from '../models/model-operations.ts'
import { findInputIssues } from './input-issues.ts'
import { describeIssues, readJson } from './json.ts'
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

/** A run before it is sent. */
export interface PlannedRun {
  model: string
  input: Record<string, unknown>
}

/**
 * Checks a run against the model's price and input schema, when the options ask for it. Sends nothing otherwise.
 *
 * @throws BudgetExceededError, InputValidationError, and what reading the model throws
 */
export async function preflight(
  core: Core,
  run: PlannedRun,
  context: CallContext & { options: PreflightOptions },
): Promise<void> {
  const { maxCredits, validateInput } = context.options
  if (maxCredits === undefined && !validateInput) return
  const model = await readModel(core, run.model, context)
  if (maxCredits !== undefined) checkBudget(model, maxCredits)
  if (validateInput) checkAgainstSchema(model, run.input)
}

function checkBudget(model: Model, maxCredits: number): void {
  const creditsPerRun = model.pricing.credits_per_run
  if (creditsPerRun <= maxCredits) return
  throw new BudgetExceededError({
    message: `A run of ${model.id} costs ${creditsPerRun} credits, more than maxCredits (${maxCredits}). It was not sent.`,
    creditsPerRun,
    maxCredits,
  })
}

function checkAgainstSchema(model: Model, input: Record<string, unknown>): void {
  const issues = findInputIssues(model.input_schema, input)
  if (issues.length === 0) return
  const list = issues.map(({ pointer, message }) => `${pointer || 'input'}: ${message}`).join('; ')
  const end = list.endsWith('?') ? '' : '.'
  throw new InputValidationError({
    message: `The input does not fit ${model.id}. ${list}${end} It was not sent.`,
    issues,
  })
}

async function readModel(core: Core, id: string, context: CallContext): Promise<Model> {
  try {
    return await core.modelCache.read(id, context)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const closest = closestName(id, await listModelIds(core, context))
    if (closest === undefined) throw error
    const message = `the model ${id} does not exist; did you mean ${closest}?`
    throw new InputValidationError({
      message: `The run was not sent: ${message}`,
      issues: [{ pointer: '', message }],
    })
  }
}

/** The ids of the models, for a suggestion. Empty when they cannot be read: the first error matters more. */
async function listModelIds(core: Core, context: CallContext): Promise<string[]> {
  try {
    const { data } = await core.transport.call(listModelsOperation({ limit: LIMITS.modelsPageMax }), context)
    return data.models.map((model) => model.id)
  } catch (error) {
    if (context.scope.signal.aborted) throw error
    return []
  }
}
