import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import type { CliContext } from './cli-context.ts'
import { reportError } from './errors/report-error.ts'
import { EXIT } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { Terminal } from './terminal/terminal.ts'

async function main(args: readonly string[], context: CliContext): Promise<void> {
  const { terminal } = context
  // Before the options are read: a mistake in them is an event, too.
  terminal.json = args.includes('--json')
  try {
    await createProgram(context, readVersion()).parseAsync(args, { from: 'user' })
  } catch (error) {
    // Help and version are thrown as well.
    if (error instanceof CommanderError && error.exitCode === 0) return
    context.exitCode = reportError(error, context)
  }
}

function readVersion(): string {
  // By the package's own name, which is right for the sources and for the build.
  const text = readFileSync(new URL(import.meta.resolve('@modelrun/cli/package.json')), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
  return version
}

/** A reader that went away, as in `modelrun models | head -1`, does not stop a run. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

process.stdout.on('error', ignoreBrokenPipe)
process.stderr.on('error', ignoreBrokenPipe)

const { env, stdin, stdout, stderr } = process
const context: CliContext = { env, exitCode: EXIT.done, terminal: new Terminal({ env, stdin, stdout, stderr }) }
await main(process.argv.slice(2), context)
process.exitCode = context.exitCode
