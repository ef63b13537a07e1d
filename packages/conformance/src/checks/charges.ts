import { type Check, check } from '../check.ts'
import { type Finding, judge, observe } from '../judge/finding.ts'
import {
  chargeOfAsync,
  chargeOfFailed,
  chargeOfHeld,
  chargeOfSucceeded,
  chargeOfWebhook,
  type RunCharge,
} from './charges-scenarios.ts'

/** What runs are charged (sections 1 and 2.1). */
export const CHARGES_CHECKS: readonly Check[] = [
  check('charges/succeeded', chargeOfSucceeded, isThePrice),
  check('charges/asynchronous', chargeOfAsync, isThePrice),
  check('charges/held', chargeOfHeld, isThePrice),
  check('charges/webhook', chargeOfWebhook, isThePrice),
  check('charges/failed', chargeOfFailed, ({ before, after, creditsPerRun, responses }) =>
    observe(shareOf(before - after, creditsPerRun), `${before - after} credits charged for a failed run`, responses),
  ),
]

function isThePrice({ before, after, creditsPerRun, responses }: RunCharge): Finding {
  const charged = before - after
  return judge(charged === creditsPerRun, `${charged} credits charged; the price is ${creditsPerRun}`, responses)
}

function shareOf(charged: number, price: number): 'none' | 'price' | number {
  if (charged === 0) return 'none'
  return charged === price ? 'price' : charged
}
