import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Run } from '@modelrun/durable'
import { cleanText } from '../terminal/clean-text.ts'
import type { AgentRuns } from './agent-runs.ts'

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
  const links = files.map((path) => ({
    type: 'resource_link' as const,
    uri: pathToFileURL(path).href,
    name: basename(path),
  }))
  return { content: [{ type: 'text', text }, ...links] }
}
