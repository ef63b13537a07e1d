import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { isLoopback } from '@modelrun/kit'
import { Command, CommanderError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { FAULT_KINDS } from '../domain/fault-options.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import {
  type CliClock,
  type FaultSetting,
  integer,
  readAssumptionValues,
  readClock,
  readFault,
  readHost,
  readOriginValue,
  readUrl,
} from './cli-settings.ts'
import { UsageError } from './errors.ts'

/** What the command line asks for. Of `done` commander has printed it. */
export type CliCommand = { kind: 'done' } | ServeCommand | RecordCommand

interface ListenCommand {
  port: number
  host: string
  /** Whether to end when standard input does. */
  exitWithParent?: boolean | undefined
  /** What to print once it listens; `text` also prints a line for each request. */
  announce: 'text' | 'json'
}

export interface RecordCommand extends ListenCommand {
  kind: 'record'
  /** URL of the service, without a slash at its end. */
  service: string
  /** Folder of the recording. */
  to: string
}

export interface ServeCommand
  extends ListenCommand,
    Pick<ReferenceServerOptions, 'latency' | 'credits' | 'controlToken' | 'baseUrl'> {
  kind: 'serve'
  /** Origins of web pages that may call. */
  cors?: readonly string[] | undefined
  /** Whether to serve the dashboard, where it is installed. */
  dashboard: boolean
  /** Whether webhooks may lead to private addresses although other machines can reach the server. */
  allowPrivateWebhooks?: boolean | undefined
  clock: CliClock
  /** File of the models. */
  catalog?: string | undefined
  key?: string | undefined
  seed: number | 'random'
  assumptions: AssumptionOptions
  /** File of the observed behaviour of another service. */
  profile?: string | undefined
  faults: readonly FaultSetting[]
  /** File that stores everything over restarts. */
  state?: string | undefined
  /** Folder of what was recorded of a service. */
  replay?: string | undefined
}

type ParsedOptions = Omit<ServeCommand, 'kind' | 'clock' | 'seed' | 'assumptions' | 'faults' | 'announce'> & {
  seed?: number
  assume?: string[]
  fault?: FaultSetting[]
} & Partial<Record<'clock' | 'scale' | 'record' | 'to', string>> & { json?: boolean }

/**
 * Reads the arguments of `modelrun-server`.
 *
 * @throws UsageError when one is unknown or has a value that is not allowed; the message says what is
 */
export function readCommand(args: readonly string[], program = createProgram()): CliCommand {
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { kind: 'done' }
    throw new UsageError(error.message.replace('error: ', '').replaceAll('\n', ' '))
  }
  const { json, clock, scale, assume, fault = [], record, to, ...options } = program.opts<ParsedOptions>()
  const announce = json ? 'json' : 'text'
  const { port, host, exitWithParent } = options
  if (record !== undefined || to !== undefined) {
    return { kind: 'record', ...recordOf(record, to), port, host, exitWithParent, announce }
  }
  return {
    kind: 'serve',
    ...options,
    announce,
    clock: readClock(clock, scale),
    assumptions: readAssumptionValues(assume),
    faults: fault,
    // The key of a known seed is known to everyone, who could then let the server call any webhook.
    seed: options.seed ?? (isLoopback(host) ? 'random' : (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)),
  }
}

function recordOf(service: string | undefined, to: string | undefined): Pick<RecordCommand, 'service' | 'to'> {
  if (service === undefined) throw new UsageError('--to is for --record: say what to record.')
  if (to !== undefined) return { service, to }
  throw new UsageError(`--record needs a folder to write to, as in --record ${service} --to recording.`)
}

/** Every option. To add one: a line here, a member of `ServeCommand`, and its use in `start-server.ts`. */
export function createProgram(): Command {
  const program = new Command('modelrun-server')
    .description(
      'Runs the model inference service in memory and serves it over HTTP.\n' +
        'Documentation: node_modules/@modelrun/reference-server/docs/reference-server.md',
    )
    .exitOverride()
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => 100 })
    .optionsGroup('Where it listens:')
    .addOption(valued('--port <number>', 'port to listen on; 0 picks a free one', integer(0, 65_535)).default(4010))
    .addOption(
      valued('--host <address>', 'address to bind; 0.0.0.0 for every one', readHost).default('127.0.0.1', '127.0.0.1'),
    )
    .addOption(valued('--base-url <url>', 'URL for clients and files (default: where it listens)', readUrl))
    .addOption(repeatable('--cors <origin>', 'let web pages of this origin call it; * for all', readOriginValue))
    .addOption(new Option('--exit-with-parent', 'end when standard input, a pipe, is closed, as when its parent dies'))
    .addOption(valued('--control-token <token>', 'token of other machines for the control API (default: random)'))
    .addOption(new Option('--allow-private-webhooks', 'call private addresses although others can reach it'))
    .addOption(new Option('--no-dashboard', 'show no dashboard in the browser'))
    .optionsGroup('Time:')
    .addOption(valued('--scale <factor>', 'let time pass so many times as fast, such as 60').conflicts('clock'))
    .addOption(valued('--clock <mode>', 'system, manual (the control API moves time) or auto (skips waits)'))
    .addOption(valued('--latency <ms>', 'how long runs take, such as 500 (default: as long as the models)', integer(0)))
    .optionsGroup('What it serves:')
    .addOption(valued('--catalog <file>', 'models of your own, as a JSON array (default: 13 models of all kinds)'))
    .addOption(valued('--key <sk_test_…>', 'the first API key (default: made from the seed, 1 without one)'))
    .addOption(valued('--credits <number>', 'credits of each account (default: 10000)', integer(0)))
    .addOption(valued('--seed <integer>', 'the same ids, keys and files at each start (default: random)', integer()))
    .addOption(valued('--state <file>', 'store keys, credits, jobs and faults over restarts'))
    .addOption(repeatable('--assume <name=value>', 'change what the specification leaves open'))
    .addOption(valued('--profile <file>', 'behave like a service: its conformance report, as JSON'))
    .addOption(
      valued('--replay <folder>', 'have the models, prices, outputs and times of a recording').conflicts('catalog'),
    )
    .addOption(repeatable('--fault <kind[,…]>', 'make requests go wrong: reset,route=runModel,times=1', readFault))
    .optionsGroup('Instead of serving:')
    .addOption(
      valued(
        '--record <url>',
        'stand in front of the real service, pass everything on once, and store its form',
        readUrl,
      ),
    )
    .addOption(valued('--to <folder>', 'folder for what is stored, without keys, inputs and results'))
    .optionsGroup('What it prints:')
    .addOption(new Option('--json', 'print one line of JSON when ready and nothing else, for programs'))
    .version(manifest.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .addHelpText('after', AFTER_HELP)
  limitRecord(program.options)
  return program
}

/** Everything else is about a server of its own. */
function limitRecord(options: readonly Option[]): void {
  const others = options.map((option) => option.attributeName()).filter((name) => !GO_WITH_RECORD.includes(name))
  options.find((option) => option.name() === 'record')?.conflicts(others)
}

const GO_WITH_RECORD: readonly string[] = ['record', 'to', 'host', 'port', 'exitWithParent', 'json', 'version']

type Read = (text: string, name: string) => unknown

function valued(flags: string, help: string, read: Read = (text) => text): Option {
  const option = new Option(flags, help)
  return option.argParser((text) => read(nonEmpty(option, text), option.name()))
}

/** An option that may be given several times. */
function repeatable(flags: string, help: string, read: Read = (text) => text): Option {
  const option = new Option(flags, `${help}; repeatable`)
  return option.argParser((text, previous: unknown[] = []) => [
    ...previous,
    read(nonEmpty(option, text), option.name()),
  ])
}

function nonEmpty(option: Option, text: string): string {
  if (text === '') throw new UsageError(`--${option.name()} needs a value: ${option.flags}.`)
  return text
}

const AFTER_HELP = `
Kinds of faults:
  ${FAULT_KINDS.slice(0, 6).join(', ')},
  ${FAULT_KINDS.slice(6).join(', ')}

Control API, to control the server from any language:
  JSON below /_reference, such as POST /_reference/reset; /_reference/openapi.json has all.

Examples:
  modelrun-server --scale 60
  modelrun-server --port 0 --json --clock auto
  modelrun-server --fault unavailable,probability=0.2 --fault reset,route=runModel,when=after
  modelrun-server --latency 2000 --assume asyncRunStatus=200
  modelrun-server --record https://the-real-service.example --to recording
  modelrun-server --replay recording --scale 60`
