import type { RecordCommand } from '../cli-options.ts'
import { print, warn } from '../errors.ts'
import { checkInput, onInputEnd } from '../input-end.ts'
import { startRecorder } from './recorder.ts'

/** Records the service of the command line until a signal ends it. Resolves when the recorder listens. */
export async function record({ service, to, host, port, exitWithParent, announce }: RecordCommand): Promise<void> {
  if (exitWithParent) checkInput()
  const log = announce === 'text' ? print : () => {}
  const recorder = await startRecorder({ service: new URL(service), folder: to, host, port, log, warn })
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
