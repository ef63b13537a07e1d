import type { ServerContext } from '@modelcontextprotocol/server'
import { memberOf } from '@modelrun/kit'
import { RejectedRunError } from '../errors.ts'
import { cleanText, priceText } from '../terminal/text.ts'
import type { PlannedRun } from './agent-runs.ts'

/** What the user was asked: a response is for this model, input and price alone. */
export type Question = Pick<PlannedRun, 'key' | 'hash' | 'price'>

interface Consent {
  confirmAbove: number
  maxCredits: number | undefined
  canAsk: boolean
  known?: 'open' | 'silent' | undefined
}

const SHOWN_ID = 80
const SHOWN_INPUT = 200

/**
 * The question to the user about a run that is expensive, or that may have been paid already. Undefined when the run may be
 * sent.
 *
 * @throws RejectedRunError when the call does not agree, or the user cannot be asked: nothing was sent
 */
export function questionAbout(plan: PlannedRun, consent: Consent): string | undefined {
  const { confirmAbove, maxCredits, canAsk, known } = consent
  const { price, lostKey, input } = plan
  const costs = describePrice(plan)
  if (maxCredits !== undefined && price > maxCredits) {
    throw new RejectedRunError(`${costs}, more than max_credits ${maxCredits}. Nothing was sent.`)
  }
  if (price <= confirmAbove && lostKey === undefined) return undefined
  if (known === 'open') throw new RejectedRunError(`${costs}. The user is asked by another call. Nothing was sent.`)
  if (canAsk) return `${costs}. Run it? Input: ${shorten(JSON.stringify(input), SHOWN_INPUT)}`
  if (lostKey !== undefined) throw new RejectedRunError(`${costs}. Nothing was sent. Inform the user, who decides.`)
  // The agent has asked in the place of the host, and says so.
  if (maxCredits !== undefined) return undefined
  throw new RejectedRunError(
    `${costs}. Nothing was sent. Ask the user, then repeat the call with max_credits: ${price}.`,
  )
}

/** Not every host responds as the protocol says: what is not a yes is a no. @throws RejectedRunError: nothing was sent */
export function checkResponse(plan: PlannedRun, response: unknown): void {
  if (memberOf(response, 'action') !== 'accept') {
    throw new RejectedRunError(`${describePrice(plan)}. The user does not agree. Nothing was sent.`)
  }
}

export function isAbout({ key, hash, price }: PlannedRun, question: Question | undefined): boolean {
  return key === question?.key && hash === question.hash && price === question.price
}

function describePrice({ model, price, lostKey }: PlannedRun): string {
  const lost =
    lostKey === undefined ? '' : `, and the run ${shorten(lostKey, SHOWN_ID)} of the same input may have been charged`
  return `A run of "${shorten(model, SHOWN_ID)}" costs ${priceText(price)}${lost}`
}

/** Texts of others in one line, whose end is not far away. */
export function shorten(text: string, most: number): string {
  const clean = cleanText(text)
  return clean.length > most ? `${clean.slice(0, most)}…` : clean
}

const RESPONSE_MS = 600_000

const ANY = { '~standard': { version: 1 as const, vendor: 'modelrun', validate: (value: unknown) => ({ value }) } }

/** Asks through a host of the protocol of 2025. Returns its response; undefined when it cannot ask, or does not respond. */
export async function askThroughHost(message: string, { mcpReq: { send, signal } }: ServerContext): Promise<unknown> {
  const params = { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } }
  const request = { method: 'elicitation/create', params }
  return await send(request, ANY, { timeout: RESPONSE_MS, signal }).catch(() => undefined)
}
