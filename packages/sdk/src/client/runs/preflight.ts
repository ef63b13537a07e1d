/** What loads when a run is first checked against its model. */
import type { Model } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { BudgetExceededError, InputValidationError } from '../errors/local-errors.ts'
import type { CallContext } from '../http/operation.ts'
import { getModelOperation } from '../models/model-operations.ts'
import { findInputIssues } from './input-issues.ts'
import type { PreflightOptions } from './run-options.ts'

export type Preflight = typeof preflight

/**
 * Checks a run against the model's price and input schema, as the options ask for. Both are read again: the price that is checked is
 * the one that is paid.
 *
 * @returns The price of the run, in credits, when it is known
 * @throws BudgetExceededError, InputValidationError, and what reading the model throws
 */
export async function preflight(
  core: Core,
  run: { model: string; input: Record<string, unknown> },
  context: CallContext & { options: PreflightOptions },
): Promise<number | undefined> {
  const { maxCredits, validateInput } = context.options
  const { data: model } = await core.transport.call(getModelOperation(run.model), context)
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
    message: `A run of ${model.id} costs ${price}, more than maxCredits (${maxCredits}). It is not sent.`,
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
    message: `The input does not fit ${model.id}. ${list}${end} It is not sent.`,
    issues,
  })
}
