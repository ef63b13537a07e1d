import { readCommand } from './cli-options.ts'
import { ListenError, UsageError, warn } from './errors.ts'

async function main(args: readonly string[]): Promise<void> {
  const command = readCommand(args)
  switch (command.kind) {
    case 'done':
      return
    case 'record':
      return (await import('./recorder.ts')).record(command)
    case 'serve':
      // Loaded on demand: help, the version and a mistake in the options come without it.
      return (await import('./serve.ts')).serve(command)
  }
}

/** When a reader goes away, as in `modelrun-server | head -1`, the server continues. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

process.stdout.on('error', ignoreBrokenPipe)
process.stderr.on('error', ignoreBrokenPipe)

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ListenError)) throw error
  warn(error.message)
  process.exitCode = 1
}
