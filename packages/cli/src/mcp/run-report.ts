import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Run } from '@modelrun/durable'
import { urlsOf } from '../files/save-files.ts'
import { cleanText } from '../terminal/text.ts'
import { type AgentRuns, FREE } from './agent-runs.ts'
import { shorten } from './consent.ts'

/** What the agent should do next, by the state of a run. No text of anybody else is in these sentences. */
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

/** What lists say of a run. `credits` is the most that it costs. */
export function describeRun({ key, model, state, jobId, error, maxCredits, sentAt, requestId }: Run) {
  const credits = FREE.includes(state) ? 0 : maxCredits
  const sent_at = sentAt === undefined ? undefined : new Date(sentAt).toISOString()
  return { key, state, model, job_id: jobId, request_id: requestId, sent_at, credits, error }
}

/** A run for an agent: its state, its files, and links to them. Texts of the service are in members of their own. */
export async function reportRun(run: Run, agentRuns: AgentRuns, hasLinks: boolean): Promise<CallToolResult> {
  await agentRuns.settle(run)
  if (run.state !== 'waiting') agentRuns.pausedBy = undefined
  const { pausedBy } = agentRuns
  let next = NEXT[run.state]
  let problem: string | undefined
  const { files, error } = await agentRuns.filesOf(run)
  if (error !== undefined) {
    next = 'It is done, and what is not in `files` is not saved, for the reason in `problem`. Call get_job again.'
    problem = error.message
  }
  if (run.state === 'waiting' && pausedBy !== undefined) {
    next = 'It is not sent, for the reason in `problem`, and tried again every 30 s. Inform the user.'
    problem = pausedBy
  }
  const budget_left = await agentRuns.budgetLeft()
  const links = files.map((path) => {
    return { type: 'resource_link' as const, uri: pathToFileURL(path).href, name: basename(path) }
  })
  const urls = run.output && urlsOf(run.output)
  return structured({ ...describeRun(run), budget_left, files, urls, problem, next }, hasLinks ? links : [])
}

/** A service may send texts that would fill the context of an agent. */
export const LONGEST_TEXT = 4_000

/** A result as data, and as a string for hosts that read no data. No string of it has control characters. */
export function structured(value: object, links: CallToolResult['content'] = []): CallToolResult {
  // Names of members are foreign text, too.
  const json = JSON.stringify(value, (_, member) => (member === Number.POSITIVE_INFINITY ? 'unknown' : member))
  const structuredContent = JSON.parse(cleanText(json), (_, member: unknown) => {
    return typeof member === 'string' ? shorten(member, LONGEST_TEXT) : member
  })
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }, ...links], structuredContent }
}
