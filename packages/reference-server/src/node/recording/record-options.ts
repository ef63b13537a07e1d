import { UsageError } from '../errors.ts'

/** Records a service. */
export interface RecordCommand {
  kind: 'record'
  /** URL of the service, without a slash at its end. */
  service: string
  /** Folder of the recording. */
  to: string
  host: string
  port: number
  exitWithParent: boolean
  /** What to print once it listens; `text` also prints a line for each request. */
  announce: 'text' | 'json' | 'nothing'
}

/** The options that go with `--record`; the others are about a server of its own. */
const ALLOWED: readonly string[] = ['record', 'to', 'host', 'port', 'exitWithParent', 'json', 'quiet']
/** Come with a recording. */
const RECORDED = ['catalog', 'profile'] as const

type Options = { [Name in 'record' | 'to' | 'replay' | (typeof RECORDED)[number]]?: string | undefined }

/**
 * What is to be recorded; `undefined` when the server is to serve.
 *
 * @throws UsageError when an option does not go with another
 */
export function readRecord(options: Options): Pick<RecordCommand, 'service' | 'to'> | undefined {
  const { record: service, to, replay } = options
  const twice = RECORDED.find((name) => options[name] !== undefined)
  if (service === undefined && to !== undefined) throw new UsageError('--to is for --record: say what to record.')
  if (service === undefined && replay !== undefined && twice !== undefined) {
    throw new UsageError(`--replay has the models and the profile of the recording: leave --${twice} out.`)
  }
  if (service === undefined) return undefined
  if (to === undefined)
    throw new UsageError(`--record needs a folder to write to, as in --record ${service} --to recording.`)
  const other = Object.entries<unknown>(options).find(
    ([name, value]) => !ALLOWED.includes(name) && isGiven(name, value),
  )
  if (other === undefined) return { service, to }
  const [name, value] = other
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new UsageError(
    `--record passes everything on to ${service}, so it takes no --${value === false ? 'no-' : ''}${flag}.`,
  )
}

/** An option that starts with --no- is true unless it is given. */
function isGiven(name: string, value: unknown): boolean {
  return name === 'dashboard' ? value === false : value !== undefined
}
