import { type Check, check } from '../check.ts'
import { judge, observe } from '../judge/finding.ts'
import { chargeOfFailed, chargeOfSucceeded } from './cancel-scenarios.ts'

/** What runs are charged (sections 1 and 2.1). */
export const CHARGES_CHECKS: readonly Check[] = [
  check('charges/succeeded', chargeOfSucceeded, ({ before, after, creditsPerRun, answers }) =>
    judge(
      before - after === creditsPerRun,
      `${before - after} credits charged; the price is ${creditsPerRun}`,
      answers,
    ),
  ),
  check('charges/failed', chargeOfFailed, ({ before, after, creditsPerRun, answers }) =>
    observe(shareOf(before - after, creditsPerRun), `${before - after} credits charged for a failed run`, answers),
  ),
]

function shareOf(charged: number, price: number): 'none' | 'price' | number {
  if (charged === 0) return 'none'
  return charged === price ? 'price' : charged
}
