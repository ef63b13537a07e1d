import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Run } from '@modelrun/durable'
import { RejectedRunError } from '../errors.ts'
import { cleanText, priceText } from '../terminal/text.ts'
import type { AgentRuns, PlannedRun } from './agent-runs.ts'

/** What is known of the consent of the user. */
interface Consent {
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
  const lost = lostKey === undefined ? '' : `, and the run ${lostKey} of the same input may have been charged`
  const price = `A run of ${model.id} costs ${priceText(credits)}`
  const reject = (reason: string) => new RejectedRunError(`${price}${reason}`)
  if (maxCredits !== undefined && credits > maxCredits) {
    throw reject(`, more than max_credits ${maxCredits}. Nothing was sent.`)
  }
  if (action === 'accept' || (credits <= confirmAbove && lostKey === undefined)) return undefined
  if (action !== undefined) throw reject(`${lost}. The user does not agree. Nothing was sent.`)
  if (canAsk) return `${price}${lost}. Run it?`
  if (lostKey !== undefined) throw reject(`${lost}. Nothing was sent. Inform the user, who decides.`)
  // The agent has asked in the place of the host, and says so.
  if (maxCredits !== undefined) return undefined
  throw reject(`. Nothing was sent. Ask the user, then repeat the call with max_credits: ${credits}.`)
}

/** What the agent should do next, by the state of a run. */
const NEXT: Readonly<Record<Run['state'], string>> = {
  waiting: 'It is not sent yet. Call get_job with this key.',
  running: 'It is still running. Call get_job with this key. Do not run it again.',
  succeeded: 'It is done, and its files are saved.',
  failed: 'The model failed. Ask the user before you run it again with another key: another run has its own price.',
  cancelled: 'It is cancelled, and nothing is charged. To run it after all, use another key.',
  rejected: 'Nothing is charged. Correct what the error says, or ask the user.',
  unknown:
    'It may have been charged, and its result is not known. Inform the user, who decides. Do not run it again with another key.',
}

/** A run for an agent: its state as JSON, and links to its files. */
export async function reportRun(run: Run, agentRuns: AgentRuns): Promise<CallToolResult> {
  const { key, model, state, jobId, error } = run
  let next = NEXT[state]
  await agentRuns.settle(run)
  const files = await agentRuns.filesOf(run).catch((problem: unknown) => {
    next = `It is done, and its files cannot be saved now: call get_job again. ${cleanText(String(problem))}`
    return []
  })
  const { pausedBy } = agentRuns
  if (state === 'waiting' && pausedBy !== undefined)
    next = `It is not sent, and tried again every 30 s: ${cleanText(pausedBy)} Inform the user.`
  const text = JSON.stringify({ key, state, model, job_id: jobId, error, files, next })
  const links = files.map((path) => {
    return { type: 'resource_link' as const, uri: pathToFileURL(path).href, name: basename(path) }
  })
  return { content: [{ type: 'text', text }, ...links] }
}
