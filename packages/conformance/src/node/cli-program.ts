import { isRecord, tryParseJson } from '@modelrun/kit'
import { Command, Option } from 'commander'
import { CannotStartError, SPECIAL_KEYS } from '../options.ts'
import { REPORT_FORMATS, type ReportFormat } from '../reports/format-report.ts'

/** A report to write; without a path, on standard output. */
export interface RequestedReport {
  format: ReportFormat
  path: string | undefined
}

/** The values of the options by commander's names, keys with restricted rights excepted. */
export interface OptionValues {
  baseUrl?: string
  apiKey?: string
  allowRuns?: true
  maxCredits?: number
  crossingCredits?: number
  seed?: number
  model?: string
  input?: Record<string, unknown>
  slowModel?: string
  slowInput?: Record<string, unknown>
  failingModel?: string
  failingInput?: Record<string, unknown>
  webhookUrl?: string
  webhookPort?: number
  only?: readonly string[]
  report?: readonly RequestedReport[]
  jobTimeout?: number
  timeScale?: number
  quiet?: true
  requirements?: true
  version?: true
}

/** The options of `modelrun-conformance`. To add one: a line here, its type above, and its use in cli-options.ts. */
export function createProgram(): Command {
  const program = new Command('modelrun-conformance')
    .usage('--base-url <url> --api-key <key> [options]')
    .description(
      'Checks a service against the specification. Without --allow-runs it reads only, and costs nothing.\n' +
        'Exit code: 0 nothing failed, 1 something failed, 2 wrong usage or nothing could be started.\n' +
        'Documentation: node_modules/@modelrun/conformance/README.md',
    )
    .helpOption('--help', 'print this text')
    .addOption(option('--base-url <url>', 'URL of the service (or MODELRUN_BASE_URL)'))
    .addOption(option('--api-key <key>', 'a key with all permissions (or MODELRUN_API_KEY)'))
    .option('--allow-runs', 'send more than GET requests: run models, cancel jobs')
    .addOption(option('--max-credits <number>', 'maximum cost of all runs together (default: 0)', number(0)))
    .addOption(
      option(
        '--crossing-credits <number>',
        'credits of it for combinations of all kinds (default: 40; 0 with --only)',
        number(0),
      ),
    )
    .addOption(option('--seed <number>', 'chooses the combinations (default: 1)', number(0)))
    .addOption(option('--model <id>', 'the model to run (default: the cheapest)'))
    .addOption(option('--input <json>', 'its input (default: made from its schema)', jsonObject))
    .addOption(option('--slow-model <id>', 'a model that takes longer than 55 s'))
    .addOption(option('--slow-input <json>', 'its input', jsonObject))
    .addOption(option('--failing-model <id>', 'a model that fails at the provider'))
    .addOption(option('--failing-input <json>', 'its input', jsonObject))
    .addOption(option('--webhook-url <url>', 'public URL that forwards to --webhook-port'))
    .addOption(option('--webhook-port <port>', 'port for deliveries (default: a free one)', number(0)))
    .addOption(option('--only <names>', 'areas, checks or statements, separated by commas', (raw) => raw.split(',')))
    .addOption(reportOption())
    .addOption(option('--job-timeout <seconds>', 'how long to wait for a job (default: 900)', number(1)))
    .addOption(
      option('--time-scale <factor>', 'speed of the clock of the service (default: 1)', number(Number.MIN_VALUE)),
    )
    .option('--quiet', 'no progress')
    .option('--requirements', 'print the statements that are checked, as JSON')
    .option('--version', 'print the version')
  for (const [name, meaning] of Object.entries(SPECIAL_KEYS))
    program.addOption(option(`--${name}-key <key>`, `a key that ${meaning}`))
  return program
}

type Parse = (raw: string, name: string) => unknown

/** An option that takes one value, once. */
function option(flags: string, description: string, parse: Parse = (raw) => raw): Option {
  const name = flags.replace(/ .*/, '')
  const made = new Option(flags, description).argParser((raw, previous) => {
    if (previous !== undefined) throw new CannotStartError(`${name} is given twice.`)
    return parse(requireValue(raw, flags), name)
  })
  // Else commander reads `--no-credits-key` as the negation of `--credits-key`.
  made.negate = false
  return made
}

function reportOption(): Option {
  const flags = '--report <format>[=<path>]'
  return new Option('--report <format[=path]>', `${REPORT_FORMATS.join(', ')}; may be given often`).argParser(
    (raw, previous: readonly RequestedReport[] = []) => [...previous, readReport(requireValue(raw, flags))],
  )
}

/** Commander takes the next option for the value when the value is missing. */
function requireValue(raw: string, flags: string): string {
  if (raw !== '' && !raw.startsWith('--')) return raw
  throw new CannotStartError(`${flags.replace(/ .*/, '')} needs a value: ${flags}.`)
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

function readReport(raw: string): RequestedReport {
  const [name, ...rest] = raw.split('=')
  const format = REPORT_FORMATS.find((known) => known === name)
  if (format === undefined) {
    throw new CannotStartError(`--report takes ${REPORT_FORMATS.join(', ')}, each with =<path> or not; not "${raw}".`)
  }
  return { format, path: rest.length === 0 ? undefined : rest.join('=') }
}
