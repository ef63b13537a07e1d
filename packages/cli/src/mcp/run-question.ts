import { RejectedRunError } from '../errors/rejected-run-error.ts'
import { priceText } from '../models/price-text.ts'
import type { PlannedRun } from './agent-runs.ts'

/** What is known of the consent of the user. */
export interface Consent {
  /** Up to this price the user is not asked. */
  confirmAbove: number
  /** The most that the agent says the user agreed to. */
  maxCredits: number | undefined
  /** The user's response to the question; undefined before it is asked. */
  action: 'accept' | 'decline' | 'cancel' | undefined
  /** Whether the host has questions. */
  canAsk: boolean
}

/**
 * The question to the user about a run that is expensive, or that may have been paid already. Undefined when the run may be
 * sent.
 *
 * @throws RejectedRunError when the user or the call does not agree, or the user cannot be asked: nothing was sent
 */
export function questionAbout({ model, lostKey }: PlannedRun, consent: Consent): string | undefined {
  const { confirmAbove, maxCredits, action, canAsk } = consent
  const credits = model.pricing.credits_per_run
  const price = `A run of ${model.id} costs ${priceText(credits)}`
  if (maxCredits !== undefined && credits > maxCredits) {
    throw new RejectedRunError(`${price}, more than max_credits ${maxCredits}. Nothing was sent.`)
  }
  if (action === 'accept' || (credits <= confirmAbove && lostKey === undefined)) return undefined
  const lost = lostKey === undefined ? '' : `, and the run ${lostKey} of the same input may have been charged`
  if (action !== undefined) throw new RejectedRunError(`${price}${lost}. The user does not agree. Nothing was sent.`)
  if (canAsk) return `${price}${lost}. Run it?`
  if (lostKey !== undefined)
    throw new RejectedRunError(`${price}${lost}. Nothing was sent. Inform the user, who decides.`)
  // The agent has asked in the place of the host, and says so.
  if (maxCredits !== undefined) return undefined
  throw new RejectedRunError(
    `${price}. Nothing was sent. Ask the user, then repeat the call with max_credits: ${credits}.`,
  )
}
