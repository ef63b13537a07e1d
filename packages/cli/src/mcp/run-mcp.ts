import { Console } from 'node:console'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { bindAccount, checkAccount } from '../batch/batch-account.ts'
import { openBatch } from '../batch/open-batch.ts'
import type { CliContext } from '../cli-context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { prepareFolder } from '../files/save-outputs.ts'
import { createService } from '../service/create-client.ts'
import { readApiKey } from '../service/read-api-key.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { AgentRuns } from './agent-runs.ts'
import { createToolServer } from './tool-server.ts'

/** Options of `modelrun mcp`. */
export interface McpOptions extends ServiceOptions {
  out: string
  confirmAbove: number
  budget: number
  sameAccount?: boolean | undefined
}

const NO_PROTOCOL =
  '`modelrun mcp` needs a package beside this one: npm install @modelcontextprotocol/server@2. ' +
  'With npx: npx -p @modelrun/cli -p @modelcontextprotocol/server modelrun mcp …'

/** Serves an agent until its host closes standard input. Jobs continue, and the next start follows them. */
export async function runMcp(given: McpOptions, version: string, context: CliContext): Promise<ExitCode> {
  // Standard output is the protocol's, whatever a dependency prints.
  globalThis.console = new Console(process.stderr)
  const load = [import('@modelcontextprotocol/server'), import('@modelcontextprotocol/server/stdio')] as const
  const [protocol, { serveStdio }] = await Promise.all(load).catch(() => {
    throw new UsageError(NO_PROTOCOL)
  })
  const options = { ...given, out: resolve(given.out), concurrency: 4, pollsPerSecond: 10, name: 'mcp' }
  const { client, baseUrl } = await createService(options, context)
  const account = { baseUrl, apiKey: readApiKey(options.apiKeyFile, context).apiKey, options }
  await checkAccount(account)
  await prepareFolder(options.out)
  await bindAccount(account)
  const say = (error: unknown) => context.terminal.say(`modelrun: ${String(error)}`)
  const onPause = (reason: Error) => {
    agentRuns.pausedBy = reason.message
    say(reason)
  }
  const batch = await openBatch({ client, options }, { onPause, onStoreError: say })
  const agentRuns = new AgentRuns(client, batch, options)
  const ended = Promise.race([once(process.stdin, 'close'), once(process, 'SIGTERM'), once(process, 'SIGINT')])
  batch.runs.start()
  const work = { protocol, client, agentRuns, confirmAbove: options.confirmAbove, version }
  const handle = serveStdio(() => createToolServer(work, context), { onerror: say })
  await ended
  await handle.close()
  await batch.runs.stop()
  return EXIT.done
}
