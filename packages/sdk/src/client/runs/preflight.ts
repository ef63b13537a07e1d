/** What loads when a run is first checked against its model. */
import { LIMITS, type Model } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import type { Core } from '../core.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { BudgetExceededError, InputValidationError } from '../errors/local-errors.ts'
import type { CallContext } from '../http/operation.ts'
import { getModelOperation, listModelsOperation } from '../models/model-operations.ts'
import { findInputIssues } from './input-issues.ts'
import type { PreflightOptions } from './run-options.ts'

export type Preflight = typeof preflight

/** A run before it is sent. */
export interface PlannedRun {
  model: string
  input: Record<string, unknown>
}

/**
 * Checks a run against the model's price and input schema, as the options ask for. Both are read again: the price that is checked is
 * the one that is paid.
 *
 * @returns The price of the run, in credits, when it is known
 * @throws BudgetExceededError, InputValidationError, and what reading the model throws
 */
export async function preflight(
  core: Core,
  run: PlannedRun,
  context: CallContext & { options: PreflightOptions },
): Promise<number | undefined> {
  const { maxCredits, validateInput } = context.options
  const model = await readModel(core, run.model, context)
  if (maxCredits !== undefined) checkBudget(model, maxCredits)
  if (validateInput) checkAgainstSchema(model, run.input)
  const { credits_per_run } = model.pricing
  return Number.isFinite(credits_per_run) ? credits_per_run : undefined
}

function checkBudget(model: Model, maxCredits: number): void {
  const creditsPerRun = model.pricing.credits_per_run
  if (creditsPerRun <= maxCredits) return
  const price = Number.isFinite(creditsPerRun) ? `${creditsPerRun} credits` : 'an unknown number of credits'
  throw new BudgetExceededError({
    message: `A run of ${model.id} costs ${price}, more than maxCredits (${maxCredits}). It was not sent.`,
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
    const { data } = await core.transport.call(getModelOperation(id), context)
    return data
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
