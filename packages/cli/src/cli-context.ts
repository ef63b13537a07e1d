import type { Terminal } from './terminal/terminal.ts'

/** What every command gets. */
export interface CliContext {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** The exit code of the process. */
  exitCode: number
}
