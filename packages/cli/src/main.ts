import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { type CliContext, EXIT } from './context.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'
import { Terminal } from './terminal/terminal.ts'

async function main(args: readonly string[], context: CliContext): Promise<void> {
  const { terminal } = context
  // Before the options are read: a mistake in them is an event, too.
  terminal.json = args.some((arg) => arg === '--json' || arg.startsWith('--select'))
  try {
    await createProgram(context, readFacts()).parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
  } catch (error) {
    // Help and version are thrown as well.
    if (error instanceof CommanderError && error.exitCode === 0) return
    context.exitCode = reportError(error, context)
  }
}

function readFacts(): { version: string; documentation: string } {
  // By the package's own name, which is right for the sources and for the build.
  const file = new URL(import.meta.resolve('@modelrun/cli/package.json'))
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
  return { version, documentation: fileURLToPath(new URL('docs/command-line.md', file)) }
}

let isOutputLost = false

/**
 * A reader that went away, as in `modelrun models | head -1`, does not stop a run. Nor does a full disk, as of `> file`: what was
 * paid for is still saved. It is said once.
 */
function noteLostOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || isOutputLost) return
  isOutputLost = true
  process.exitCode ||= EXIT.failed
  context.terminal.say(`modelrun: standard output cannot be written: ${message}`)
}

process.stdout.on('error', noteLostOutput)
// There is no other place to say it.
process.stderr.on('error', () => {})

const { env, stdin, stdout, stderr } = process
const context: CliContext = { env, exitCode: EXIT.done, terminal: new Terminal({ env, stdin, stdout, stderr }) }
await main(process.argv.slice(2), context)
const problem = context.exitCode === EXIT.done ? context.terminal.selection?.problem : undefined
if (problem !== undefined) context.terminal.say(`modelrun: ${problem}`)
process.exitCode = context.exitCode || (isOutputLost || problem !== undefined ? EXIT.failed : EXIT.done)
