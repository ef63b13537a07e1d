import type { Command } from 'commander'
import type { Env, Terminal } from './terminal/terminal.ts'

/** The exit codes. Scripts depend on these numbers: they do not change. */
export const EXIT = {
  done: 0,
  /** A job failed or was cancelled, or a check found a problem. */
  failed: 1,
  /** The command line is wrong. Nothing was sent. */
  usage: 2,
  /** The service, a limit or the network rejected the call. Nothing was charged. */
  rejected: 3,
  /** A run may have been charged, and its result is not here. */
  unknown: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What every command gets. */
export interface CliContext {
  readonly terminal: Terminal
  readonly env: Env
  /** The exit code of the process. */
  exitCode: ExitCode
}

/** What a command does. It gets its arguments, its options, the context, and the command itself. */
type Run = (...args: never[]) => ExitCode | Promise<ExitCode>

/** A command, and what loads its work: a start must not load what it does not need. */
export type CommandEntry = readonly [command: Command, load: () => Promise<Run>]

/** Makes the action of a command: it sets the exit code. */
export function actionOf(load: CommandEntry[1], context: CliContext): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    // Commander does not know the types of what it gives; the command is the last of them.
    const run = (await load()) as (...given: unknown[]) => ReturnType<Run>
    context.exitCode = await run(...args.slice(0, -1), context, args.at(-1))
  }
}
