import { Command } from 'commander'
import { createBatchCommand } from './batch/batch-command.ts'
import type { CliContext } from './cli-context.ts'
import { createDevCommand } from './dev/dev-command.ts'
import { createDoctorCommand } from './doctor/doctor-command.ts'
import { createCancelCommand, createJobCommand } from './jobs/job-commands.ts'
import { createMcpCommand } from './mcp/mcp-command.ts'
import { createModelCommand } from './models/model-command.ts'
import { createModelsCommand } from './models/models-command.ts'
import { createRunCommand } from './run/run-command.ts'
import { createTypesCommand } from './types/types-command.ts'
import { createListenCommand, createTriggerCommand } from './webhooks/webhook-commands.ts'

/** Every command. Each loads what it needs when it runs. */
const COMMANDS = [
  createModelsCommand,
  createModelCommand,
  createRunCommand,
  createBatchCommand,
  createJobCommand,
  createCancelCommand,
  createTypesCommand,
  createDoctorCommand,
  createDevCommand,
  createMcpCommand,
  createListenCommand,
  createTriggerCommand,
] as const

const DETAILS = `
Start:
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
      getOutHasColors: () => false,
    })
    .addHelpText('after', DETAILS + documentation)
  for (const create of COMMANDS) {
    const command = create(context)
    program.addCommand(command.copyInheritedSettings(program).helpOption('-h, --help', 'print this text'))
  }
  return program
}
