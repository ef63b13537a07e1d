import { Console } from 'node:console'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { checkAccount } from '../batch/account.ts'
import { openBatch } from '../batch/open-batch.ts'
import { type CommandContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import { KEEP_FOLDER, prepareFolder } from '../files/save-files.ts'
import type { ConnectionOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { AgentRuns } from './agent-runs.ts'
import { readMessages } from './read-arguments.ts'
import { createToolServer } from './tool-server.ts'

export interface McpOptions extends ConnectionOptions {
  out: string
  confirmAbove: number
  budget: number
  sameAccount?: boolean | undefined
}

const NO_PROTOCOL =
  '`modelrun mcp` needs a package beside this one: npm install @modelcontextprotocol/server@2. ' +
  'With npx: npx -p @modelrun/cli -p @modelcontextprotocol/server modelrun mcp …'

/** Serves an agent until its host closes standard input. Jobs continue, and the next start follows them. */
export async function runMcp(_: [], given: McpOptions, context: CommandContext): Promise<ExitCode> {
  // Standard output is the protocol's, whatever a dependency prints.
  globalThis.console = new Console(process.stderr)
  const load = [import('@modelcontextprotocol/server'), import('@modelcontextprotocol/server/stdio')] as const
  const [protocol, { serveStdio, StdioServerTransport }] = await Promise.all(load).catch(() => {
    throw new UsageError(NO_PROTOCOL)
  })
  const options = { ...given, out: resolve(given.out), concurrency: 4, pollsPerSecond: 10, name: 'mcp' }
  const service = await createService(options, context)
  checkAccount(options, service)
  prepareFolder(options.out, KEEP_FOLDER)
  const { client } = service
  const { terminal, command } = context
  const say = (error: unknown) => terminal.say(`modelrun: ${String(error)}`)
  const onPause = (reason: Error) => {
    agentRuns.pausedBy = reason.message
    say(reason)
  }
  const batch = await openBatch({ service, options }, { onPause, onStoreError: say })
  const agentRuns = new AgentRuns({ client, batch, options })
  const messages = readMessages(process.stdin)
  // A file or a device has an end, and is not closed.
  const inputEnd = ['close', 'end'].map((event) => once(process.stdin, event))
  // The transport pauses it when it closes by itself: standard output is gone, or a message is too large.
  const stop = once(messages, 'pause')
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((event) => once(process, event))
  // Standard input that fails has ended, too.
  const ended = Promise.race([...inputEnd, stop, ...signals]).catch(() => {})
  await batch.runs.resume()
  batch.runs.start()
  const version = command.parent?.version() ?? ''
  const work = { protocol, client, agentRuns, confirmAbove: options.confirmAbove, version, terminal }
  const transport = new StdioServerTransport(messages)
  const handle = serveStdio(() => createToolServer(work), { onerror: say, transport })
  await ended
  process.stdin.pause()
  await handle.close()
  await batch.runs.stop()
  return EXIT.done
}
