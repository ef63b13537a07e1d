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
  /** Ended by Ctrl-C, or because its terminal was closed. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface CliContext {
  readonly terminal: Terminal
  readonly env: Env
}

/** The same, when commander has found the command. */
export interface CommandContext extends CliContext {
  readonly command: Command
}

/** What a command does with its arguments and options. Commander knows their types by the command alone. */
type Run = (args: never, options: never, context: CommandContext) => ExitCode | Promise<ExitCode>

/** A command, the options that it shares with others, and what loads its work: a start must not load what it does not need. */
export type CommandEntry = readonly [
  command: Command,
  shared: readonly ((command: Command) => Command)[],
  load: () => Promise<Run>,
]
