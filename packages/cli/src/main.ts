import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { type CliContext, EXIT, type ExitCode } from './context.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'
import { Terminal } from './terminal/terminal.ts'

async function main(args: readonly string[], context: CliContext): Promise<ExitCode> {
  // Before the options are read: a mistake in them is an event, too.
  context.terminal.json = args.includes('--json')
  let exitCode: ExitCode = EXIT.done
  const onEnd = (code: ExitCode) => {
    exitCode = code
  }
  try {
    const program = createProgram(context, { ...readFacts(), onEnd })
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Help and version are thrown as well.
    return error instanceof CommanderError && error.exitCode === 0 ? EXIT.done : reportError(error, context)
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
  if (code === 'EPIPE' || code === 'EIO' || isOutputLost) return
  isOutputLost = true
  process.exitCode ||= EXIT.failed
  context.terminal.say(`modelrun: standard output cannot be written: ${message}`)
}

process.stdout.on('error', noteLostOutput)
// There is no other place to say it.
process.stderr.on('error', () => {})

const { env, stdin, stdout, stderr } = process
const context: CliContext = { env, terminal: new Terminal({ env, stdin, stdout, stderr }) }
const exitCode = await main(process.argv.slice(2), context)
process.exitCode = exitCode || (isOutputLost ? EXIT.failed : EXIT.done)
