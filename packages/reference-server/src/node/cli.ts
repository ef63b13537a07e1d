import { readFile } from 'node:fs/promises'
import { announcement } from './announcement.ts'
import { HELP } from './cli-help.ts'
import { readCommand, type ServeCommand } from './cli-options.ts'
import { checkInput, onInputEnd } from './input-end.ts'
import { ListenError, listen } from './listen.ts'
import { startServer } from './start-server.ts'
import { openState, type StateFile } from './state-file.ts'
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
  if (command.exitWithParent) checkInput()
  const state = command.state === undefined ? undefined : await openState(command.state, warn)
  try {
    await serveWith(command, state)
  } catch (error) {
    await state?.close()
    throw error
  }
}

async function serveWith(command: ServeCommand, state: StateFile | undefined): Promise<void> {
  const { server, service, keys } = await startServer(command, lineSink(command, state))
  const { port, host, allowPrivateWebhooks, cors } = command
  const listening = await listen(server, { port, host, allowPrivateWebhooks, cors })
  if (command.baseUrl !== undefined) server.setBaseUrl(command.baseUrl)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= listening
      .close()
      .then(() => state?.close())
      .then(() => server.close())
    return stopped
  }
  // Only now: results that were on their way are sent at once, and `listen` has said which addresses they may go to.
  const keptKeys = await state?.begin(service).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  // Once: a second signal ends the process the hard way, should stopping ever take too long.
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if (command.exitWithParent) onInputEnd(() => void stop())
  const ready = { url: server.baseUrl, keys: keptKeys ?? keys, controlToken: server.controlToken }
  const text = announcement(ready, command)
  if (text !== undefined) print(text)
}

/** Who gets a line for each request and each delivery. Whatever changes the state makes one. */
function lineSink({ announce }: ServeCommand, state: StateFile | undefined): ((line: string) => void) | undefined {
  // With --json standard output belongs to the program that reads it.
  const printLine = announce === 'text' ? print : undefined
  if (state === undefined) return printLine
  return (line) => {
    state.changed()
    printLine?.(line)
  }
}

function warn(line: string): void {
  process.stderr.write(`modelrun-server: ${line}\n`)
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
  warn(error.message)
  process.exitCode = 1
}
