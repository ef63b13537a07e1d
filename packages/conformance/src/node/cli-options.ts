import { isRecord, tryParseJson } from '@modelrun/kit'
import { Command, CommanderError, Option } from 'commander'
import { CannotStartError, type ConformanceOptions, type ModelChoice, SPECIAL_KEYS } from '../options.ts'
import { createRedactor } from '../redact.ts'
import { REPORT_FORMATS, type ReportFormat } from '../reports/format-report.ts'

/** The task of a command line. */
export type CliCommand = { kind: 'help'; text: string } | { kind: 'version' } | CheckCommand

/** A report to write; without a path, on standard output. */
interface RequestedReport {
  format: ReportFormat
  path: string | undefined
}

/** What options are called alike in the command and in its arguments. */
interface Values extends Pick<ConformanceOptions, 'allowRuns' | 'maxCredits' | 'only'> {
  webhookUrl?: string
  webhookPort?: number
  readCreditsCommand?: string
  timeScale?: number
  quiet?: true
}

/** Check a service. */
export interface CheckCommand extends Values, Pick<ConformanceOptions, 'baseUrl' | 'apiKey' | 'keys' | 'models'> {
  kind: 'check'
  jobMs: number | undefined
  reports: readonly RequestedReport[]
}

type Environment = Readonly<Record<string, string | undefined>>
type Parse = (raw: string, name: string, previous: unknown) => unknown

/** Every option. */
const OPTIONS: readonly (readonly [flags: string, description: string, parse?: Parse])[] = [
  ['--base-url <url>', 'URL of the service (or MODELRUN_BASE_URL)'],
  ['--max-credits <number>', 'maximum cost of all runs together (default: 0)', number(0)],
  ['--model <id>', 'the model to run (default: the cheapest)'],
  ['--input <json>', 'its input (default: made from its schema)', jsonObject],
  ['--slow-model <id>', 'a model that takes longer than 55 s'],
  ['--slow-input <json>', 'its input', jsonObject],
  ['--failing-model <id>', 'a model that fails at the provider'],
  ['--failing-input <json>', 'its input', jsonObject],
  ['--read-credits-command <command>', 'prints the credits that are left, for the checks of charges'],
  ['--webhook-url <url>', 'public URL that forwards to --webhook-port'],
  ['--webhook-port <port>', 'port for deliveries (default: a free one)', number(0)],
  ['--only <names>', 'areas, checks or statements, separated by commas', (raw) => raw.split(',')],
  ['--job-timeout <seconds>', 'how long to wait for a job (default: 900)', number(1)],
  ['--time-scale <factor>', 'speed of the clock of the service (default: 1)', number(Number.MIN_VALUE)],
  ['--report <format[=path]>', `${REPORT_FORMATS.join(' or ')}; may be given often`, readReport],
  ['--allow-runs', 'send more than GET requests: run models, cancel jobs'],
  ['--quiet', 'no progress'],
  ['--version', 'print the version'],
]

const variableOf = (name: string) => `MODELRUN_${name.toUpperCase().replaceAll('-', '_')}_KEY`

const KEYS_HELP = [
  'Keys are environment variables, never arguments, which other users of the machine can read:',
  '  MODELRUN_API_KEY: a key with all permissions',
  ...Object.entries(SPECIAL_KEYS).map(([name, meaning]) => `  ${variableOf(name)}: a key that ${meaning}`),
].join('\n')

type Input = Record<string, unknown>

/** The values of the options by commander's names. */
interface OptionValues extends Values {
  model?: string
  input?: Input
  slowModel?: string
  slowInput?: Input
  failingModel?: string
  failingInput?: Input
  baseUrl?: string
  report?: readonly RequestedReport[]
  jobTimeout?: number
  version?: true
}

/**
 * Reads the arguments of `modelrun-conformance`.
 *
 * @throws CannotStartError when an argument is unknown or missing, or has a value that is not allowed
 */
export function readCommand(args: readonly string[], env: Environment): CliCommand {
  const values = parse(args)
  if (typeof values === 'string') return { kind: 'help', text: values }
  const { version, jobTimeout, report = [], baseUrl, ...given } = values
  if (version) return { kind: 'version' }
  const { model, input, slowModel, slowInput, failingModel, failingInput, ...others } = given
  return {
    kind: 'check',
    ...{ allowRuns: false, maxCredits: 0, timeScale: 1 },
    ...others,
    baseUrl: requireValue(baseUrl ?? env.MODELRUN_BASE_URL, '--base-url <url>'),
    apiKey: requireValue(env.MODELRUN_API_KEY, 'The environment variable MODELRUN_API_KEY'),
    keys: Object.fromEntries(Object.keys(SPECIAL_KEYS).map((name) => [name, env[variableOf(name)]])),
    models: {
      main: choice('--', model, input),
      slow: choice('--slow-', slowModel, slowInput),
      failing: choice('--failing-', failingModel, failingInput),
    },
    jobMs: jobTimeout === undefined ? undefined : jobTimeout * 1000,
    reports: report,
  }
}

const SEE_HELP = '--help lists the options.'

/** The values of the options, or the output of `--help`. */
function parse(args: readonly string[]): OptionValues | string {
  let help = ''
  const program = createProgram()
    .configureOutput({ writeOut: (output) => (help += output), writeErr: () => {} })
    .exitOverride()
  try {
    return program.parse(args, { from: 'user' }).opts<OptionValues>()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return help.trimEnd()
    if (/'--[\w-]*key\b/.test(error.message)) throw new CannotStartError(`A key is never an argument. ${KEYS_HELP}`)
    const [sentence, advice = SEE_HELP] = error.message.replace(/^error: |\.$|[()]/g, '').split('\n')
    // A mistyped option may carry a key.
    throw new CannotStartError(createRedactor([]).text(`${sentence}. ${advice}`))
  }
}

function createProgram(): Command {
  const program = new Command('modelrun-conformance')
    .usage('--base-url <url> [options]')
    .description(
      'Checks a service against the specification. Without --allow-runs it reads only, and costs nothing.\n' +
        'Exit code: 0 nothing failed, 1 something failed, 2 wrong usage or nothing could be started.\n' +
        'Documentation: node_modules/@modelrun/conformance/README.md',
    )
    .helpOption('--help', 'print this text')
    .addHelpText('after', `\n${KEYS_HELP}`)
  for (const [flags, description, parseValue] of OPTIONS) {
    const option = new Option(flags, description)
    if (parseValue) option.argParser((raw, previous) => parseValue(raw, option.long ?? flags, previous))
    program.addOption(option)
  }
  return program
}

function requireValue(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value
  throw new CannotStartError(`${name} is missing. ${SEE_HELP}`)
}

function choice(start: string, model: string | undefined, input: Input | undefined): ModelChoice | undefined {
  if (model === undefined && input !== undefined)
    throw new CannotStartError(`${start}input belongs to a model: give ${start}model too.`)
  return model === undefined ? undefined : { model, input }
}

function number(minimum: number): Parse {
  return (raw, name) => {
    const value = /^\d*\.?\d+$/.test(raw) ? Number(raw) : Number.NaN
    if (value >= minimum) return value
    throw new CannotStartError(`${name} must be a number, ${minimum > 0 ? 'above 0' : '0 or more'}, not "${raw}".`)
  }
}

function jsonObject(raw: string, name: string): unknown {
  const value = tryParseJson(raw)
  if (isRecord(value)) return value
  throw new CannotStartError(`${name} must be a JSON object, not "${raw}".`)
}

function readReport(raw: string, _: string, previous: unknown): readonly RequestedReport[] {
  const [, name, path] = /^(\w+)(?:=(.+))?$/.exec(raw) ?? []
  const format = REPORT_FORMATS.find((known) => known === name)
  if (format !== undefined) return [...((previous ?? []) as RequestedReport[]), { format, path }] // what it returned before
  throw new CannotStartError(`--report must be ${REPORT_FORMATS.join(' or ')}, with =<path> or not; not "${raw}".`)
}
