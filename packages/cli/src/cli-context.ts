import type { Terminal } from './terminal/terminal.ts'

/** What every command gets. */
export interface CliContext {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the process ends with. */
  exitCode: number
}
