import { parseArgs } from 'node:util'
import { closestName } from '../closest-name.ts'
import { CannotStartError, type ModelChoice, SPECIAL_KEYS, type SpecialKey } from '../options.ts'
import { REPORT_FORMATS, type ReportFormat } from '../reports/format-report.ts'
import { OPTIONS } from './cli-option-table.ts'

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
    baseUrl: requireValue(text(values, 'base-url') ?? env.MODELRUN_BASE_URL, '--base-url <url>'),
    apiKey: requireValue(text(values, 'api-key') ?? env.MODELRUN_API_KEY, '--api-key <key>'),
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
  // Not strict: the errors of `parseArgs` do not say what was probably meant.
  const { values, tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new CannotStartError(`"${token.value}" is not an option. Every option starts with --. ${SEE_HELP}`)
    }
    if (token.kind !== 'option') continue
    checkOption(token, seen)
    seen.add(token.name)
  }
  return values
}

function checkOption({ name, rawName, value, inlineValue }: OptionToken, seen: ReadonlySet<string>): void {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
  if (option === undefined) throw new CannotStartError(`There is no option ${rawName}. ${adviceFor(name)}`)
  const { type, multiple } = option
  if (type === 'boolean' && value !== undefined) throw new CannotStartError(`${rawName} takes no value.`)
  if (type === 'string' && (!value || (value.startsWith('--') && !inlineValue))) {
    throw new CannotStartError(`${rawName} needs a value: ${rawName} ${option.value}.`)
  }
  if (type === 'string' && !multiple && seen.has(name)) throw new CannotStartError(`${rawName} is given twice.`)
}

interface OptionToken {
  name: string
  rawName: string
  value?: string | undefined
  /** Whether the value stands behind `=`. */
  inlineValue?: boolean | undefined
}

function adviceFor(name: string): string {
  const closest = closestName(name, Object.keys(OPTIONS))
  return closest === undefined ? SEE_HELP : `Did you mean --${closest}?`
}

const SEE_HELP = '--help lists the options.'

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

function requireValue(value: string | undefined, usage: string): string {
  if (value !== undefined && value !== '') return value
  throw new CannotStartError(`${usage} is missing. ${SEE_HELP}`)
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
