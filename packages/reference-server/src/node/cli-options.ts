import { randomInt } from 'node:crypto'
import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { closestName, isLoopback } from '@modelrun/kit'
import { Command, CommanderError, Option } from 'commander'
import type { LatencyOption } from '../domain/plan-job.ts'
import { FAULT_KINDS } from '../faults/fault-options.ts'
import { type FaultSetting, readAssumptionValues, readFaultValues, readLatencyValues } from './cli-settings.ts'
import {
  type CliClock,
  integer,
  readClock,
  readControlToken,
  readHost,
  readKey,
  readOriginValue,
  readUrl,
} from './cli-values.ts'
import { UsageError } from './errors.ts'
import { type RecordCommand, readRecord } from './recording/record-options.ts'

/** What the command line asks for. */
export type CliCommand = { kind: 'help'; text: string } | { kind: 'version' } | ServeCommand | RecordCommand

/** Options that commander reads as they are needed. */
interface ServeOptions {
  port: number
  host: string
  /** URL for clients, when it is not the one that is bound. */
  baseUrl: string | undefined
  /** Origins of web pages that may call. */
  cors: readonly string[]
  /** What the control API asks other machines for. */
  controlToken: string | undefined
  /** Whether to end when standard input does. */
  exitWithParent: boolean
  /** Whether to serve the dashboard, where it is installed. */
  dashboard: boolean
  /** Whether webhooks may lead to private addresses although other machines can reach the server. */
  allowPrivateWebhooks: boolean
  /** File of the models. */
  catalog: string | undefined
  /** The first API key. */
  key: string | undefined
  /** How many keys there are. */
  keys: number
  credits: number | undefined
  seed: number | undefined
  /** File of the observed behaviour of another service. */
  profile: string | undefined
  /** File that stores everything over restarts. */
  state: string | undefined
  /** Folder of what was recorded of a service. */
  replay: string | undefined
}

/** Runs the server. */
export interface ServeCommand extends ServeOptions {
  kind: 'serve'
  clock: CliClock
  latency: LatencyOption | undefined
  assumptions: AssumptionOptions
  faults: readonly FaultSetting[]
  /** What to print once it listens; `text` also prints a line for each request. */
  announce: 'text' | 'json' | 'nothing'
}

type ParsedOptions = Partial<ServeOptions> &
  Partial<Record<'record' | 'to', string>> &
  Partial<Record<'latency' | 'assume' | 'fault', string[]>> &
  Partial<Record<'clock' | 'scale', string>> &
  Partial<Record<'json' | 'quiet' | 'help' | 'version', boolean>>

/**
 * Reads the arguments of `modelrun-server`.
 *
 * @throws UsageError when one is unknown or has a value that is not allowed; the message says what is
 */
export function readCommand(args: readonly string[]): CliCommand {
  const program = createProgram()
  const parsed = parse(program, args)
  const { json, quiet, help, version, clock, scale, latency, assume, fault, record, to, ...options } = parsed
  if (help) return { kind: 'help', text: helpText(program) }
  if (version) return { kind: 'version' }
  const { host = '127.0.0.1', port = 4010 } = options
  const announce = json ? 'json' : quiet ? 'nothing' : 'text'
  const exitWithParent = options.exitWithParent === true
  const recorded = readRecord(parsed)
  if (recorded !== undefined) return { kind: 'record', ...recorded, host, port, exitWithParent, announce }
  return {
    kind: 'serve',
    port,
    host,
    baseUrl: options.baseUrl,
    cors: options.cors ?? [],
    controlToken: options.controlToken,
    exitWithParent,
    dashboard: options.dashboard !== false,
    allowPrivateWebhooks: options.allowPrivateWebhooks === true,
    clock: readClock(clock, scale),
    latency: readLatencyValues(latency),
    catalog: options.catalog,
    key: options.key,
    keys: options.keys ?? 1,
    credits: options.credits,
    // The key of a known seed is known to everyone, who could then let the server call any webhook.
    seed: options.seed ?? (isLoopback(host) ? undefined : randomInt(2 ** 32)),
    assumptions: readAssumptionValues(assume),
    profile: options.profile,
    faults: readFaultValues(fault),
    state: options.state,
    replay: options.replay,
    announce,
  }
}

/**
 * Every option. To add one: a line here, a member of `ServeCommand` that `readCommand` fills, and its use in
 * `start-server.ts`.
 */
export function createProgram(): Command {
  return new Command('modelrun-server')
    .description(
      'Runs the model inference service in memory and serves it over HTTP.\n' +
        'Documentation: node_modules/@modelrun/reference-server/docs/reference-server.md',
    )
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => 100 })
    .configureHelp({ optionTerm: ({ flags }) => flags.replace('-h, ', '') })
    .optionsGroup('Where it listens:')
    .addOption(once('--port <number>', 'port to listen on; 0 picks a free one (default: 4010)', integer(0, 65_535)))
    .addOption(once('--host <address>', 'address to bind; 0.0.0.0 for every one (default: 127.0.0.1)', readHost))
    .addOption(once('--base-url <url>', 'URL for clients and files (default: where it listens)', readUrl))
    .addOption(repeatable('--cors <origin>', 'let web pages of this origin call it; * for all', readOriginValue))
    .addOption(new Option('--exit-with-parent', 'end when standard input, a pipe, is closed, as when its parent dies'))
    .addOption(
      once(
        '--control-token <token>',
        'token of other machines for the control API (default: random)',
        readControlToken,
      ),
    )
    .addOption(new Option('--allow-private-webhooks', 'call private addresses although others can reach it'))
    .addOption(new Option('--no-dashboard', 'show no dashboard in the browser'))
    .optionsGroup('Time:')
    .addOption(once('--scale <factor>', 'let time pass so many times as fast, such as 60'))
    .addOption(once('--clock <mode>', 'system, manual (the control API moves time) or auto (skips waits)'))
    .addOption(repeatable('--latency <[model=]ms>', 'how long runs take: 500, or 2000/9000 (median and 95 %)'))
    .optionsGroup('What it serves:')
    .addOption(once('--catalog <file>', 'models of your own, as a JSON array (default: 13 models of all kinds)'))
    .addOption(once('--key <sk_test_…>', 'the first API key (default: made from the seed)', readKey))
    .addOption(once('--keys <number>', 'number of API keys, each with its own account (default: 1)', integer(1, 1_000)))
    .addOption(once('--credits <number>', 'credits of each account (default: 10000)', integer(0)))
    .addOption(once('--seed <integer>', 'start of ids, keys and files (default: 1; random beyond loopback)', integer()))
    .addOption(once('--state <file>', 'store keys, credits, jobs and faults over restarts'))
    .addOption(repeatable('--assume <name=value>', 'change what the specification leaves open'))
    .addOption(once('--profile <file>', 'behave like a service: its conformance report, as JSON'))
    .addOption(once('--replay <folder>', 'behave like a service that was recorded: its models and its choices'))
    .addOption(repeatable('--fault <kind[,…]>', 'make requests go wrong: reset,route=runModel,times=1'))
    .optionsGroup('Instead of serving:')
    .addOption(
      once('--record <url>', 'stand in front of the real service, pass everything on once, and learn', readUrl),
    )
    .addOption(once('--to <folder>', 'folder for what was learned, without keys, inputs and results'))
    .optionsGroup('What it prints:')
    .addOption(new Option('--json', 'print one line of JSON when ready and nothing else, for programs'))
    .addOption(new Option('--quiet', 'print nothing but errors'))
    .addOption(new Option('-h, --help', 'print this text'))
    .addOption(new Option('--version', 'print the version'))
}

type Read = (text: string, name: string) => unknown

/** An option with one value. */
function once(flags: string, help: string, read: Read = (text) => text): Option {
  const option = new Option(flags, help)
  return option.argParser((text, previous: unknown) => {
    if (previous !== undefined) throw new UsageError(`--${option.name()} is given twice. Give it once.`)
    return read(nonEmpty(option, text), option.name())
  })
}

/** An option that may be given several times. */
function repeatable(flags: string, help: string, read: Read = (text) => text): Option {
  const option = new Option(flags, `${help}; repeatable`)
  return option.argParser((text, previous: unknown[] = []) => [
    ...previous,
    read(nonEmpty(option, text), option.name()),
  ])
}

function nonEmpty({ flags }: Option, text: string): string {
  if (text === '') throw new UsageError(valueMissing(flags))
  return text
}

function parse(program: Command, args: readonly string[]): ParsedOptions {
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // The only error that is left to commander; its message quotes the flags.
    throw new UsageError(valueMissing(/'(.+)'/.exec(error.message)?.[1] ?? error.message))
  }
  const [unknown] = program.args
  if (unknown !== undefined) throw new UsageError(unknownArgument(program, unknown))
  return program.opts<ParsedOptions>()
}

function valueMissing(flags: string): string {
  return `${flags.split(' ')[0]} needs a value: ${flags}.`
}

function unknownArgument({ options }: Command, argument: string): string {
  const [flag = '', ...value] = argument.split('=')
  if (!/^-./.test(flag)) return `"${argument}" is not an option. Every option starts with --.`
  const names = options.map(({ long }) => long ?? '')
  if (names.includes(flag)) return `${flag} takes no value, got "${value.join('=')}".`
  const closest = closestName(
    flag.replace(/^-+/, ''),
    options.map((option) => option.name()),
  )
  return `There is no option ${flag}. ${closest === undefined ? `Options: ${names.join(', ')}.` : `Did you mean --${closest}?`}`
}

/** So many fit into a line of a terminal. */
const KINDS_PER_LINE = 6

/** The text of `--help`. */
export function helpText(program: Command): string {
  const kinds = FAULT_KINDS.flatMap((_, index) =>
    index % KINDS_PER_LINE === 0 ? [`  ${FAULT_KINDS.slice(index, index + KINDS_PER_LINE).join(', ')}`] : [],
  )
  return [
    program.helpInformation(),
    'Kinds of faults:',
    ...kinds,
    '',
    'Control API, to control the server from any language:',
    '  JSON below /_reference, such as POST /_reference/reset; GET /_reference lists all calls.',
    '  The documentation has them in its section "From other languages".',
    '',
    'Examples:',
    '  modelrun-server --scale 60',
    '  modelrun-server --port 0 --json --clock auto',
    '  modelrun-server --fault unavailable,probability=0.2 --fault reset,route=runModel,when=after',
    '  modelrun-server --latency 2000/9000 --assume asyncRunStatus=200',
    '  modelrun-server --record https://the-real-service.example --to recording',
    '  modelrun-server --replay recording --scale 60',
  ].join('\n')
}
