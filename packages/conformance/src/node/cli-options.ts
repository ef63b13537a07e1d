import { parseArgs } from 'node:util'
import { CannotStartError, type ModelChoice, SPECIAL_KEYS, type SpecialKey } from '../options.ts'
import { REPORT_FORMATS, type ReportFormat } from '../reports/format-report.ts'

/** What the command line asks for. */
export type Command = { kind: 'help' } | { kind: 'version' } | { kind: 'requirements' } | CheckCommand

/** A report to write; without a path, on standard output. */
export interface WantedReport {
  format: ReportFormat
  path: string | undefined
}

/** Check a service. */
export interface CheckCommand {
  kind: 'check'
  baseUrl: string
  apiKey: string
  keys: Partial<Record<SpecialKey, string>>
  allowRuns: boolean
  maxCredits: number
  models: { main?: ModelChoice | undefined; slow?: ModelChoice | undefined; failing?: ModelChoice | undefined }
  webhookUrl: string | undefined
  webhookPort: number | undefined
  only: readonly string[] | undefined
  timeScale: number
  jobMs: number | undefined
  reports: readonly WantedReport[]
  quiet: boolean
}

const KEY_OPTIONS = Object.fromEntries(
  Object.entries(SPECIAL_KEYS).map(([name, meaning]) => [
    `${name}-key`,
    { type: 'string', value: '<key>', help: `a key that ${meaning}` } as const,
  ]),
)

const OPTIONS = {
  'base-url': { type: 'string', value: '<url>', help: 'address of the service (or MODELRUN_BASE_URL)' },
  'api-key': { type: 'string', value: '<key>', help: 'a key with all permissions (or MODELRUN_API_KEY)' },
  'allow-runs': { type: 'boolean', value: '', help: 'send more than GET requests: run models, cancel jobs' },
  'max-credits': { type: 'string', value: '<number>', help: 'what all runs together may cost at most (default: 0)' },
  model: { type: 'string', value: '<id>', help: 'the model to run (default: the cheapest)' },
  input: { type: 'string', value: '<json>', help: 'its input (default: made from its schema)' },
  'slow-model': { type: 'string', value: '<id>', help: 'a model that takes longer than 55 s' },
  'slow-input': { type: 'string', value: '<json>', help: 'its input' },
  'failing-model': { type: 'string', value: '<id>', help: 'a model that fails at the provider' },
  'failing-input': { type: 'string', value: '<json>', help: 'its input' },
  'webhook-url': { type: 'string', value: '<url>', help: 'public address that forwards to --webhook-port' },
  'webhook-port': { type: 'string', value: '<port>', help: 'port for deliveries (default: a free one)' },
  only: { type: 'string', value: '<names>', help: 'areas, checks or statements, separated by commas' },
  report: { type: 'string', value: '<format>[=<path>]', help: `${REPORT_FORMATS.join(', ')}; may be given often` },
  'job-timeout': { type: 'string', value: '<seconds>', help: 'how long to wait for a job (default: 900)' },
  'time-scale': { type: 'string', value: '<factor>', help: "the service's clock runs so many times as fast" },
  quiet: { type: 'boolean', value: '', help: 'no progress' },
  requirements: { type: 'boolean', value: '', help: 'print the statements that are checked, as JSON' },
  help: { type: 'boolean', value: '', help: 'print this text' },
  version: { type: 'boolean', value: '', help: 'print the version' },
} as const

/** The text of `--help`. */
export const HELP = [
  'Usage: modelrun-conformance --base-url <url> --api-key <key> [options]',
  '',
  'Checks a service against the specification. Without --allow-runs it reads only, and costs nothing.',
  'Exit code: 0 nothing failed, 1 something failed, 2 wrong usage or nothing could be started.',
  '',
  ...Object.entries({ ...OPTIONS, ...KEY_OPTIONS }).map(([name, { value, help }]) => {
    return `  ${`--${name} ${value}`.padEnd(32)} ${help}`
  }),
].join('\n')

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/**
 * Reads the arguments of `modelrun-conformance`.
 *
 * @throws CannotStartError when one is unknown, missing or has a value that is not allowed
 */
export function readCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  const values = parse(args)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  if (values.requirements) return { kind: 'requirements' }
  return {
    kind: 'check',
    baseUrl: demand(text(values, 'base-url') ?? env.MODELRUN_BASE_URL, '--base-url <url>'),
    apiKey: demand(text(values, 'api-key') ?? env.MODELRUN_API_KEY, '--api-key <key>'),
    keys: keysOf(values),
    allowRuns: values['allow-runs'] === true,
    maxCredits: number(values, 'max-credits', 0) ?? 0,
    models: { main: choice(values, ''), slow: choice(values, 'slow-'), failing: choice(values, 'failing-') },
    webhookUrl: text(values, 'webhook-url'),
    webhookPort: number(values, 'webhook-port', 0),
    only: text(values, 'only')?.split(','),
    timeScale: number(values, 'time-scale', Number.MIN_VALUE) ?? 1,
    jobMs: seconds(number(values, 'job-timeout', 1)),
    reports: [values.report ?? []].flat().map((report) => readReport(String(report))),
    quiet: values.quiet === true,
  }
}

function parse(args: readonly string[]): Values {
  const report = { type: 'string', multiple: true } as const
  try {
    return parseArgs({ args: [...args], options: { ...OPTIONS, ...KEY_OPTIONS, report } }).values
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new CannotStartError(`${reason} --help lists the options.`)
  }
}

function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

function number(values: Values, name: string, minimum: number): number | undefined {
  const raw = text(values, name)
  if (raw === undefined) return undefined
  const value = /^\d*\.?\d+$/.test(raw) ? Number(raw) : Number.NaN
  if (value >= minimum) return value
  throw new CannotStartError(`--${name} must be a number, ${minimum > 0 ? 'above 0' : '0 or more'}, not "${raw}".`)
}

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000
}

function demand(value: string | undefined, usage: string): string {
  if (value !== undefined && value !== '') return value
  throw new CannotStartError(`${usage} is missing. --help lists the options.`)
}

function choice(values: Values, prefix: string): ModelChoice | undefined {
  const [model, raw] = [text(values, `${prefix}model`), text(values, `${prefix}input`)]
  if (model === undefined && raw !== undefined) {
    throw new CannotStartError(`--${prefix}input belongs to a model: give --${prefix}model too.`)
  }
  if (model === undefined) return undefined
  return { model, input: raw === undefined ? undefined : json(raw, prefix) }
}

function json(raw: string, prefix: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw)
    // A JSON object: its members are unknown, its names are strings.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw new CannotStartError(`--${prefix}input must be a JSON object, not "${raw}".`)
}

function keysOf(values: Values): Partial<Record<SpecialKey, string>> {
  return Object.fromEntries(
    Object.keys(SPECIAL_KEYS).flatMap((name) => {
      const key = text(values, `${name}-key`)
      return key === undefined ? [] : [[name, key]]
    }),
  )
}

function readReport(raw: string): WantedReport {
  const [name, ...rest] = raw.split('=')
  const format = REPORT_FORMATS.find((known) => known === name)
  if (format === undefined) {
    throw new CannotStartError(`--report takes ${REPORT_FORMATS.join(', ')}, each with =<path> or not; not "${raw}".`)
  }
  return { format, path: rest.length === 0 ? undefined : rest.join('=') }
}
