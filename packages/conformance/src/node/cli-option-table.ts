import { SPECIAL_KEYS } from '../options.ts'
import { REPORT_FORMATS } from '../reports/format-report.ts'

/** One option of `modelrun-conformance`, as `parseArgs` and the help need it. */
interface CliOption {
  type: 'string' | 'boolean'
  /** What stands behind it in the help; empty for a switch. */
  value: string
  help: string
  /** It may be given several times. */
  multiple?: true
}

const KEY_OPTIONS = Object.fromEntries(
  Object.entries(SPECIAL_KEYS).map(([name, meaning]) => [
    `${name}-key`,
    { type: 'string' as const, value: '<key>', help: `a key that ${meaning}` },
  ]),
)

/** Every option, by its name. */
export const OPTIONS: Readonly<Record<string, CliOption>> = {
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
  report: {
    type: 'string',
    value: '<format>[=<path>]',
    help: `${REPORT_FORMATS.join(', ')}; may be given often`,
    multiple: true,
  },
  'job-timeout': { type: 'string', value: '<seconds>', help: 'how long to wait for a job (default: 900)' },
  'time-scale': { type: 'string', value: '<factor>', help: "the service's clock runs so many times as fast" },
  quiet: { type: 'boolean', value: '', help: 'no progress' },
  requirements: { type: 'boolean', value: '', help: 'print the statements that are checked, as JSON' },
  help: { type: 'boolean', value: '', help: 'print this text' },
  version: { type: 'boolean', value: '', help: 'print the version' },
  ...KEY_OPTIONS,
}

/** The text of `--help`. */
export const HELP = [
  'Usage: modelrun-conformance --base-url <url> --api-key <key> [options]',
  '',
  'Checks a service against the specification. Without --allow-runs it reads only, and costs nothing.',
  'Exit code: 0 nothing failed, 1 something failed, 2 wrong usage or nothing could be started.',
  'Documentation: node_modules/@modelrun/conformance/README.md',
  '',
  ...Object.entries(OPTIONS).map(([name, { value, help }]) => {
    return `  ${`--${name} ${value}`.padEnd(32)} ${help}`
  }),
].join('\n')
