import { once } from 'node:events'
import { connect, isIP } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { RecordCommand } from '../cli-options.ts'
import { print, UsageError, warn } from '../errors.ts'
import { checkInput, onInputEnd } from '../input-end.ts'
import { startRecorder } from './recorder.ts'

const CONNECT_WITHIN_MS = 10_000

/** Records the service of the command line until a signal ends it. Resolves when the recorder listens. */
export async function record({ service, to, host, port, exitWithParent, announce }: RecordCommand): Promise<void> {
  if (exitWithParent) checkInput()
  const url = new URL(service)
  await checkService(url)
  const log = announce === 'text' ? print : () => {}
  const recorder = await startRecorder({ service: url, folder: to, host, port, log, warn })
  const stop = () => void recorder.close()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if (exitWithParent) onInputEnd(stop)
  if (announce === 'json') print(JSON.stringify({ ready: true, url: recorder.url, service, folder: to }))
  if (announce === 'text') print(textFor(recorder.url, service, to))
}

function textFor(url: string, service: string, folder: string): string {
  return [
    'The recorder listens, and passes every request on to the service: runs are charged. Stop it with Ctrl+C.',
    '',
    `  url      ${url}`,
    `  service  ${service}`,
    `  folder   ${folder}`,
    '',
    'Give the url to a client in place of the url of the service, with the key of the service. Afterwards:',
    '',
    `  modelrun-server --replay ${folder}`,
    '',
  ].join('\n')
}

/** Opens a connection and closes it. No request is sent. */
async function checkService({ protocol, hostname, port, href }: URL): Promise<void> {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port) || (isSecure ? 443 : 80) }
  const socket = isSecure
    ? connectSecurely({ ...target, ...(isIP(host) ? {} : { servername: host }) })
    : connect(target)
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) })
  } catch (error) {
    const { code, message, name } = error as NodeJS.ErrnoException // `net` and `tls` reject with nothing else
    const reason = name === 'AbortError' ? `no connection within ${CONNECT_WITHIN_MS / 1_000} s` : message || code
    throw new UsageError(`--record: ${href} cannot be reached: ${reason}.`)
  } finally {
    socket.destroy()
  }
}
