import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { CliHarness } from './cli-harness.ts'

export const FOX = { model: 'aurora-image', input: { prompt: 'a red fox' } }
/** It costs 25 credits, more than is paid without a question. */
export const VIDEO = { model: 'kinora/reel-swift', input: { prompt: 'a red fox runs' } }

/** The jobs that a service made. */
export function jobsOf({ server }: CliHarness): Set<string> {
  return new Set(server.journal.entries({ kind: 'job' }).flatMap((entry) => ('job_id' in entry && entry.job_id) || []))
}

/** What an agent reads of a tool. */
interface ToolReply {
  isError: boolean
  /** Of a run. */
  facts: {
    key?: string
    state?: string
    files?: string[]
    urls?: string[]
    next?: string
    error?: object
    [name: string]: unknown
  }
  text: string
  types: string[]
}

/** How a host is. */
interface HostOptions {
  /** `legacy` is the protocol of 2025, which clients of version 1 speak. */
  protocol?: 'legacy' | '2026-07-28'
  /**
   * What the user says to a question. Undefined: the host has no questions; `unable`: it has declared them all the same; `silent`: it
   * never responds.
   */
  user?: 'accept' | 'decline' | 'unable' | 'silent'
  env?: Record<string, string>
  /** Called when the user is asked. */
  onQuestion?: () => void
  flags?: string[]
}

/** An agent in a host, with a server of its own, which ends with the test. */
export async function startAgent(cli: CliHarness, options: HostOptions = {}) {
  const { protocol = 'legacy', user, flags = [], env, onQuestion } = options
  const transport = new StdioClientTransport({ ...commandOf(cli, flags), env: cli.env(env), stderr: 'ignore' })
  const capabilities = user === undefined ? {} : { elicitation: {} }
  const mode = protocol === 'legacy' ? protocol : { pin: protocol }
  const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode } })
  const questions: string[] = []
  if (user !== undefined && user !== 'unable') {
    client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
      questions.push(message)
      onQuestion?.()
      if (user === 'silent') return new Promise(() => {})
      return user === 'accept' ? { action: user, content: { agree: true } } : { action: user }
    })
  }
  await client.connect(transport)
  onTestFinished(() => client.close().catch(() => {}))
  return {
    /** The questions to the user. */
    questions,
    call: async (
      name: string,
      input: object,
      limits: { timeout?: number; signal?: AbortSignal } = {},
    ): Promise<ToolReply> => {
      const { isError, content } = await client.callTool(
        { name, arguments: { ...input } },
        { timeout: 300_000, ...limits },
      )
      const [first] = content
      const text = first !== undefined && 'text' in first ? String(first.text) : ''
      const facts = text.startsWith('{') ? JSON.parse(text) : {}
      return { isError: isError === true, facts, text, types: content.map(({ type }) => type) }
    },
    kill: async () => {
      const closed = new Promise<void>((resolve) => {
        client.onclose = () => resolve()
      })
      if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL')
      await closed
    },
  }
}

function commandOf(cli: CliHarness, flags: string[]) {
  return { command: process.execPath, args: [cli.command, 'mcp', '--out', join(cli.folder, 'out'), ...flags] }
}

/** A server and the pipes of its host. */
export function startServer(cli: CliHarness) {
  const { command, args } = commandOf(cli, [])
  const child = spawn(command, args, { env: cli.env(), stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const OLD = { capabilities: { elicitation: {} }, clientInfo: { name: 'old', version: '1' } }

interface OldHost {
  protocolVersion?: string
  /** To a question. */
  response?: object
}

/**
 * Writes lines to a server, as a host of 2025 does, and gives all that it writes until it ends.
 *
 * @param response to a question to the user
 */
export async function talk(
  cli: CliHarness,
  messages: object[],
  { protocolVersion = '2025-06-18', response }: OldHost = {},
): Promise<string[]> {
  const child = startServer(cli)
  const lines: string[] = []
  const write = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...OLD, protocolVersion } }
  for (const message of [initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }, ...messages])
    write(message)
  let expected = messages.length + 1
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, method } = JSON.parse(line)
    if (method === 'elicitation/create') write({ jsonrpc: '2.0', id, result: response })
    else lines.push(line)
    if (method === undefined && --expected === 0) child.stdin.end()
  }
  return lines
}
