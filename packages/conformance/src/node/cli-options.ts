import { CommanderError } from 'commander'
import { CannotStartError, type ModelChoice, SPECIAL_KEYS, type SpecialKey } from '../options.ts'
import { createRedactor } from '../redact.ts'
import { createProgram, type OptionValues, type RequestedReport } from './cli-program.ts'

/** The task of a command line. */
export type CliCommand = { kind: 'help'; text: string } | { kind: 'version' } | { kind: 'requirements' } | CheckCommand

/** Check a service. */
export interface CheckCommand {
  kind: 'check'
  baseUrl: string
  apiKey: string
  keys: Partial<Record<SpecialKey, string>>
  allowRuns: boolean
  maxCredits: number
  crossingCredits: number | undefined
  seed: number | undefined
  models: { main?: ModelChoice | undefined; slow?: ModelChoice | undefined; failing?: ModelChoice | undefined }
  webhookUrl: string | undefined
  webhookPort: number | undefined
  only: readonly string[] | undefined
  timeScale: number
  jobMs: number | undefined
  reports: readonly RequestedReport[]
  quiet: boolean
}

/**
 * Reads the arguments of `modelrun-conformance`.
 *
 * @throws CannotStartError when an argument is unknown or missing, or has a value that is not allowed
 */
export function readCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): CliCommand {
  const values = parse(args)
  if (typeof values === 'string') return { kind: 'help', text: values }
  if (values.version) return { kind: 'version' }
  if (values.requirements) return { kind: 'requirements' }
  const { jobTimeout } = values
  return {
    kind: 'check',
    baseUrl: requireValue(values.baseUrl ?? env.MODELRUN_BASE_URL, '--base-url <url>'),
    apiKey: requireValue(values.apiKey ?? env.MODELRUN_API_KEY, '--api-key <key>'),
    keys: keysOf(values),
    allowRuns: values.allowRuns === true,
    maxCredits: values.maxCredits ?? 0,
    crossingCredits: values.crossingCredits,
    seed: values.seed,
    models: {
      main: choice('--', values.model, values.input),
      slow: choice('--slow-', values.slowModel, values.slowInput),
      failing: choice('--failing-', values.failingModel, values.failingInput),
    },
    webhookUrl: values.webhookUrl,
    webhookPort: values.webhookPort,
    only: values.only,
    timeScale: values.timeScale ?? 1,
    jobMs: jobTimeout === undefined ? undefined : jobTimeout * 1000,
    reports: values.report ?? [],
    quiet: values.quiet === true,
  }
}

const SEE_HELP = '--help lists the options.'

/** The values of the options, or the text of `--help`. */
function parse(args: readonly string[]): OptionValues | string {
  let help = ''
  const program = createProgram()
    .configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} })
    .exitOverride()
  try {
    return program.parse(args, { from: 'user' }).opts<OptionValues>()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return help.trimEnd()
    const [sentence, advice = SEE_HELP] = error.message.replace(/^error: |\.$|[()]/g, '').split('\n')
    // A mistyped option may carry a key.
    throw new CannotStartError(createRedactor([]).text(`${sentence}. ${advice}`))
  }
}

function requireValue(value: string | undefined, usage: string): string {
  if (value !== undefined && value !== '') return value
  throw new CannotStartError(`${usage} is missing. ${SEE_HELP}`)
}

function choice(prefix: string, model?: string, input?: Record<string, unknown>): ModelChoice | undefined {
  if (model !== undefined) return { model, input }
  if (input === undefined) return undefined
  throw new CannotStartError(`${prefix}input belongs to a model: give ${prefix}model too.`)
}

function keysOf(values: OptionValues): Partial<Record<SpecialKey, string>> {
  const given = new Map(Object.entries(values))
  return Object.fromEntries(
    Object.keys(SPECIAL_KEYS).flatMap((name) => {
      const key = given.get(`${name}-key`.replace(/-./g, ([, letter = '']) => letter.toUpperCase()))
      return typeof key === 'string' ? [[name, key]] : []
    }),
  )
}
