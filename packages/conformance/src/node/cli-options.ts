import { isRecord, tryParseJson } from '@modelrun/kit'
import { Command, CommanderError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { ConformanceOptions, ModelChoice, SpecialKey } from '../options.ts'
import { CannotStartError, describeKey, SPECIAL_KEYS } from '../options.ts'
import { createRedactor } from '../redact.ts'

export interface CheckCommand {
  options: ConformanceOptions
  json?: string
  webhookUrl?: string
  webhookPort?: number
  readCreditsCommand?: string
  timeScale?: number
}

interface OptionValues
  extends Omit<CheckCommand, 'options'>,
    Pick<ConformanceOptions, 'allowRuns' | 'maxCredits' | 'only'> {
  baseUrl?: string
  model?: ModelChoice
  slowModel?: ModelChoice
  failingModel?: ModelChoice
}

type Parse = (raw: string, name: string) => unknown

const OPTIONS: readonly (readonly [flags: string, description: string, parse?: Parse])[] = [
  ['--base-url <url>', 'URL of the service (or MODELRUN_BASE_URL)'],
  ['--max-credits <number>', 'maximum cost of all runs together (default: 0)', number(0)],
  ['--model <id[=input]>', 'the model to run (default: the cheapest); input as JSON (default: from its schema)', model],
  ['--slow-model <id[=input]>', 'a model that takes longer than 55 s', model],
  ['--failing-model <id[=input]>', 'a model that fails at the provider', model],
  ['--read-credits-command <command>', 'prints the credits that are left, for the checks of charges'],
  ['--webhook-url <url>', 'public URL that forwards to --webhook-port'],
  ['--webhook-port <port>', 'port for deliveries (default: a free one)', number(0)],
  ['--only <names>', 'areas, checks or statements, separated by commas', (raw) => raw.trim().split(/\s*,\s*/)],
  ['--time-scale <factor>', 'speed of the clock of the service (default: 1)', number(Number.MIN_VALUE)],
  ['--json <path>', 'writes the whole report as JSON too'],
  ['--allow-runs', 'send more than GET requests: run models, cancel jobs'],
]

const variableOf = (name: string) => `MODELRUN_${name.toUpperCase().replaceAll('-', '_')}_KEY`

/** A problem of an option of `runConformance`, by what a user of the command gives. */
export function describeProblem({ message }: Error): string {
  return message.replace(/^`([\w-]+)` of `(?:runConformance|keys)`/, (_, name: string) => {
    return name === 'baseUrl' ? '--base-url' : variableOf(name.replace('apiKey', 'api'))
  })
}

const KEY_NAMES = Object.keys(SPECIAL_KEYS) as SpecialKey[] // the keys of the constant

const KEYS_HELP = [
  'Keys are environment variables, never arguments, which other users of the machine can read:',
  '  MODELRUN_API_KEY: a key with all permissions',
  ...KEY_NAMES.map((name) => `  ${variableOf(name)}: ${describeKey(name)}`),
].join('\n')

/**
 * Reads the arguments of `modelrun-conformance`. Help and version are printed.
 *
 * @throws CannotStartError when an argument is unknown or missing, or has a value that is not allowed; CommanderError with exit code 0
 *   after help and version
 */
export function readCommand(args: readonly string[], env: NodeJS.ProcessEnv): CheckCommand {
  const { baseUrl, model, slowModel, failingModel, allowRuns, maxCredits, only, ...own } = parse(args)
  return {
    ...own,
    options: {
      ...{ allowRuns, maxCredits, only },
      baseUrl: requireValue(baseUrl ?? env.MODELRUN_BASE_URL, '--base-url <url>'),
      apiKey: requireValue(env.MODELRUN_API_KEY, 'The environment variable MODELRUN_API_KEY'),
      keys: Object.fromEntries(KEY_NAMES.map((name) => [name, env[variableOf(name)]])),
      models: { main: model, slow: slowModel, failing: failingModel },
    },
  }
}

const SEE_HELP = '--help lists the options.'

function parse(args: readonly string[]): OptionValues {
  try {
    return createProgram().parse(args, { from: 'user' }).opts<OptionValues>()
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0) throw error
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
    .version(manifest.version, '--version')
    .helpOption('--help', 'print this text')
    .addHelpText('after', `\n${KEYS_HELP}`)
    .configureOutput({ writeErr: () => {} })
    .exitOverride()
  for (const [flags, description, parseValue] of OPTIONS) {
    const option = new Option(flags, description)
    if (parseValue) option.argParser((raw) => parseValue(raw, option.long ?? flags))
    program.addOption(option)
  }
  return program
}

function requireValue(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value
  throw new CannotStartError(`${name} is missing. ${SEE_HELP}`)
}

function number(minimum: number): Parse {
  return (raw, name) => {
    const value = /^\d*\.?\d+$/.test(raw) ? Number(raw) : Number.NaN
    if (value >= minimum) return value
    throw new CannotStartError(`${name} must be a number, ${minimum > 0 ? 'above 0' : '0 or more'}, not "${raw}".`)
  }
}

function model(raw: string, name: string): ModelChoice {
  const [, id = raw, json] = /^([^=]+)=(.*)$/s.exec(raw) ?? []
  if (json === undefined) return { model: id }
  const input = tryParseJson(json)
  if (isRecord(input)) return { model: id, input }
  throw new CannotStartError(`The input in ${name} must be a JSON object, not "${json}".`)
}
