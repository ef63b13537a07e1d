import { readFile } from 'node:fs/promises'
import { announcement } from './announcement.ts'
import { HELP } from './cli-help.ts'
import { readCommand, type ServeCommand } from './cli-options.ts'
import { ListenError, listen } from './listen.ts'
import { startServer } from './start-server.ts'
import { UsageError } from './usage-error.ts'

async function main(args: readonly string[]): Promise<void> {
  const command = readCommand(args)
  switch (command.kind) {
    case 'help':
      return print(HELP)
    case 'version':
      return print(await readVersion())
    case 'serve':
      return serve(command)
  }
}

async function serve(command: ServeCommand): Promise<void> {
  // With --json standard output belongs to the program that reads it.
  const { server, keys } = await startServer(command, command.announce === 'text' ? print : undefined)
  const { port, host, allowPrivateWebhooks } = command
  const listening = await listen(server, { port, host, allowPrivateWebhooks })
  if (command.baseUrl !== undefined) server.setBaseUrl(command.baseUrl)
  const stop = async () => {
    await listening.close()
    await server.close()
  }
  // Once: a second signal ends the process the hard way, should stopping ever take too long.
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const text = announcement({ url: server.baseUrl, keys, controlToken: server.controlToken }, command)
  if (text !== undefined) print(text)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function readVersion(): Promise<string> {
  // By the package's own name, which is right for the sources and for the build.
  const text = await readFile(new URL(import.meta.resolve('@modelrun/reference-server/package.json')), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
  return version
}

/** A reader that went away, as in `modelrun-server | head -1`, is no reason to stop serving. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

process.stdout.on('error', ignoreBrokenPipe)
process.stderr.on('error', ignoreBrokenPipe)

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ListenError)) throw error
  process.stderr.write(`modelrun-server: ${error.message}\n`)
  process.exitCode = 1
}
