import { once } from 'node:events'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'

export async function runDev(_: [], { port }: { port: number }, { terminal }: CliContext): Promise<ExitCode> {
  const [{ createReferenceServer }, { listen, ListenError, loadDashboard }] = await Promise.all([
    import('@modelrun/reference-server'),
    import('@modelrun/reference-server/node'),
  ])
  const server = createReferenceServer({ clock: 'system', seed: 'random', log: (line) => terminal.say(line) })
  const dashboard = await loadDashboard()
  const listening = await listen(server, { port, dashboard }).catch((error: unknown) => {
    throw error instanceof ListenError ? new UsageError(error.message) : error
  })
  const { url } = listening
  const dashboardUrl = dashboard && `${url}${dashboard.path}`
  const { apiKey: key, controlToken } = server
  const line = { v: 1, type: 'server', ready: true, url, key, controlToken, dashboardUrl }
  if (terminal.json) terminal.printSecret(JSON.stringify(line))
  else terminal.printSecret(`export MODELRUN_BASE_URL=${url}\nexport MODELRUN_API_KEY=${key}`)
  terminal.say('The service runs on this machine. Paste these lines into another terminal. Ctrl-C stops it.')
  if (dashboardUrl !== undefined) terminal.say(`Its jobs, deliveries and faults in a browser: ${dashboardUrl}`)
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => once(process, event)))
  await listening.close()
  await server.close()
  return EXIT.done
}
