import { Command, InvalidArgumentError } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addConnectionOptions } from '../service/service-options.ts'
import type { McpOptions } from './run-mcp.ts'

const DETAILS = `
It needs the package @modelcontextprotocol/server beside this one. Standard output is for the protocol alone.

A call that an agent repeats is the same run, and is paid once, also after kill -9. What was sent is kept in .modelrun in
the folder of --out, which belongs to one service and account. Several hosts can share it.`

/** `modelrun mcp` */
export function createMcpCommand(context: CliContext): Command {
  const command = new Command('mcp')
    .description('let an agent run models, by the Model Context Protocol on standard input and output')
    .requiredOption('-o, --out <folder>', 'save the files, and the state of the runs, there')
    .option('--confirm-above <credits>', 'ask the user before a run that costs more', readCredits, 20)
    .option('--budget <credits>', 'the most that the runs of a day (UTC) may cost', readCredits, 200)
    .option('--same-account', 'the folder is of the same account, with a new key or at a new url')
    .addHelpText('after', DETAILS)
  return addConnectionOptions(command).action(
    actionOf(context, async (options: McpOptions, self: Command) => {
      const { runMcp } = await import('./run-mcp.ts')
      return runMcp(options, self.parent?.version() ?? '', context)
    }),
  )
}

/** @throws InvalidArgumentError */
function readCredits(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of credits.')
}
