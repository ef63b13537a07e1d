import { Command } from 'commander'
import { MODEL_COMMANDS } from './commands.ts'
import { actionOf, type CliContext } from './context.ts'
import { DEVELOPMENT_COMMANDS } from './development-commands.ts'
import { applyOutputOptions } from './options.ts'

const DETAILS = `
Start:
  modelrun login                       stores url and key; or set both variables:
  export MODELRUN_API_KEY=…            the key is never an argument
  export MODELRUN_BASE_URL=https://…   or start a service here: modelrun dev

Exit codes:
  0 done, 1 a job failed, 2 wrong usage, 3 rejected (nothing charged), 4 unknown (may be charged), 130 interrupted

Documentation: `

/** What the package knows of itself. */
interface ProgramFacts {
  version: string
  /** Path of the guide in the installed package. */
  documentation: string
}

/** The whole command line. */
export function createProgram(context: CliContext, { version, documentation }: ProgramFacts): Command {
  const { terminal } = context
  const program = new Command('modelrun')
    .description('Runs models of the model inference service, follows their jobs and saves what they make.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      // Errors are reported in one place, for people and for programs.
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
      getOutHasColors: () => terminal.hasStyles,
    })
    .configureHelp({ styleTitle: (text) => terminal.style('bold', text) })
    .addHelpText('after', DETAILS + documentation)
    .hook('preAction', (_, command) => applyOutputOptions(command.opts(), context))
  for (const [command, load] of [...MODEL_COMMANDS, ...DEVELOPMENT_COMMANDS]) {
    command.copyInheritedSettings(program).helpOption('-h, --help', 'print this text').action(actionOf(load, context))
    program.addCommand(command)
  }
  return program
}
