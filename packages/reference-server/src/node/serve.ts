import { announcement } from './announcement.ts'
import { doneOnce } from './bind.ts'
import type { ServeCommand } from './cli-options.ts'
import { loadDashboard } from './dashboard.ts'
import { print, warn } from './errors.ts'
import { checkInput, onStop } from './input-end.ts'
import { listen } from './listen.ts'
import { startServer } from './start-server.ts'
import { openState, type StateFile } from './state-file.ts'

/** Runs the server of the command line until a signal ends it. Resolves when it listens. */
export async function serve(command: ServeCommand): Promise<void> {
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
  const { server, service } = await startServer(command, lineSink(command, state))
  const { port, host, allowPrivateWebhooks, cors } = command
  const dashboard = command.dashboard ? await loadDashboard() : undefined
  const listening = await listen(server, { port, host, allowPrivateWebhooks, cors, dashboard })
  if (command.baseUrl !== undefined) server.transport.set({ baseUrl: command.baseUrl })
  const stop = doneOnce(async () => {
    await listening.close()
    await state?.close()
    await server.close()
  })
  // Only now: results that were on their way are sent at once, and `listen` has said which addresses they may go to.
  const storedKey = await state?.start(service).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  onStop(() => void stop(), command.exitWithParent)
  const dashboardUrl = dashboard && `${listening.url}${dashboard.path}`
  const { baseUrl: url, apiKey, controlToken } = server
  const ready = { url, key: storedKey ?? apiKey, controlToken, dashboardUrl }
  print(announcement(ready, command))
}

/** The receivers of a line for each request and each delivery. Every change of the state has a line. */
function lineSink({ announce }: ServeCommand, state: StateFile | undefined): ((line: string) => void) | undefined {
  // With --json standard output belongs to the program that reads it.
  const printLine = announce === 'text' ? print : undefined
  if (state === undefined) return printLine
  return (line) => {
    state.changed()
    printLine?.(line)
  }
}
