import type { Core } from '../core.ts'
import { BudgetExceededError } from '../errors/local-errors.ts'
import type { CallContext } from '../http/operation.ts'
import { getModelOperation } from '../models/get-model.ts'
import type { PreflightOptions } from './run-options.ts'

/** Refuses a run that costs more than `maxCredits`. Reads the price only when there is a limit. */
export async function checkBudget(
  core: Core,
  model: string,
  { scope, options }: CallContext & { options: PreflightOptions },
): Promise<void> {
  const { maxCredits } = options
  if (maxCredits === undefined) return
  const { data } = await core.transport.call(getModelOperation(model), { scope, options })
  const creditsPerRun = data.pricing.credits_per_run
  if (creditsPerRun <= maxCredits) return
  throw new BudgetExceededError({
    message: `A run of ${model} costs ${creditsPerRun} credits, more than maxCredits (${maxCredits}). It was not sent.`,
    creditsPerRun,
    maxCredits,
  })
}
