import { styleText } from 'node:util'
import { Command } from 'commander'
import { MODEL_COMMANDS } from './commands.ts'
import type { CliContext, CommandContext, CommandEntry, ExitCode } from './context.ts'
import { DEVELOPMENT_COMMANDS } from './development-commands.ts'
import type { ServiceOptions } from './options.ts'

const DETAILS = `
Start:
  modelrun login                       stores url and key; or set both variables:
  export MODELRUN_API_KEY=…            the key is never an argument
  export MODELRUN_BASE_URL=https://…   or start a service here: modelrun dev

Exit codes:
  0 done, 1 a job failed, 2 wrong usage, 3 rejected (nothing charged), 4 unknown (may be charged), 130 interrupted

Documentation: `

export function createProgram(
  context: CliContext,
  { version, documentation, onEnd }: { version: string; documentation: string; onEnd(exitCode: ExitCode): void },
): Command {
  const { terminal } = context
  const program = new Command('modelrun')
    .description('Runs models of the model inference service, follows their jobs and saves what they make.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.printHelp(text),
      // Errors are reported in one place, for people and for programs.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
    })
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .addHelpText('after', DETAILS + documentation)
    .hook('preAction', (_, command) => {
      // A value of another option that is `--json` is not the option.
      terminal.json = command.opts<ServiceOptions>().json === true
    })
  for (const [command, shared, load] of [...MODEL_COMMANDS, ...DEVELOPMENT_COMMANDS]) {
    for (const add of shared) add(command)
    command.copyInheritedSettings(program).helpOption('-h, --help', 'print this text')
    command.action(async (...given) => onEnd(await runCommand(load, { ...context, command }, given)))
    // Commands of a command are there already.
    if (command.parent === null) program.addCommand(command)
  }
  return program
}

/** Commander passes the arguments, the options and the command. */
async function runCommand(
  load: CommandEntry[2],
  context: CommandContext,
  given: readonly unknown[],
): Promise<ExitCode> {
  const run = (await load()) as (args: unknown, options: unknown, context: CommandContext) => ExitCode
  return run(given.slice(0, -2), given.at(-2), context)
}
