import { Command, InvalidArgumentError } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import type { DevOptions } from './run-dev.ts'

const DETAILS = `
It runs in memory, makes real pictures, sounds and films, and charges nothing. \`npx modelrun-server --help\` is the same
server with every option: faults, catalogs of your own, state over restarts.`

/** `modelrun dev` */
export function createDevCommand(context: CliContext): Command {
  return new Command('dev')
    .description('start the service on this machine, with example models')
    .option('--port <number>', 'port to listen on; 0 picks a free one', readPort, 4010)
    .option('--scale <factor>', 'let time pass so many times as fast, such as 60', readScale)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', DETAILS)
    .action(
      actionOf(context, async (options: DevOptions) => {
        const { runDev } = await import('./run-dev.ts')
        return runDev(options, context)
      }),
    )
}

/** @throws InvalidArgumentError */
function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

/** @throws InvalidArgumentError */
function readScale(text: string): number {
  if (text !== '' && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a number above 0.')
}
