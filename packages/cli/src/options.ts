import { toUrl } from '@modelrun/kit'
import { type Command, InvalidArgumentError, Option } from 'commander'

/** Which service is called, and as whom. */
export interface ConnectionOptions {
  apiKeyFile?: string | undefined
  baseUrl?: string | undefined
  profile?: string | undefined
}

/** How a command prints. */
export interface OutputOptions {
  json?: boolean | undefined
}

/** Options of every command that calls the service and prints what it says. */
export interface ServiceOptions extends ConnectionOptions, OutputOptions {}

/** What a run may cost. */
export interface PriceOptions {
  maxCredits?: number | undefined
  yes?: boolean | undefined
}

/** Where produced files are saved. */
export interface FileOptions {
  out?: string | undefined
  name?: string | undefined
  save: boolean
}

/** How a job is waited for. */
export interface WaitOptions {
  timeout?: number | undefined
  onInterrupt: 'detach' | 'cancel'
}

/** Options of `modelrun run`, beside the parameters of the model. */
export interface RunCommandOptions extends ServiceOptions, PriceOptions, FileOptions, WaitOptions {
  input?: string | undefined
  param?: readonly (readonly [name: string, text: string])[] | undefined
  wait: boolean
}

/** Where deliveries go. */
export interface ReceiverOptions {
  forwardTo: string
  /** `publicUrl` of the receiver's inbox; `none` when it has none. Default: `forwardTo`. */
  publicUrl?: string | undefined
  duplicate: number
}

/** Names of files: `{job_id}` distinguishes runs. */
export const DEFAULT_TEMPLATE = '{model}-{job_id}-{index}.{ext}'

/** Those of a batch sort by row. */
export const BATCH_TEMPLATE = '{row}-{job_id}-{index}.{ext}'

/** Adds the options of {@link ConnectionOptions}. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--api-key-file <file>', 'read the API key from a file (default: the variable MODELRUN_API_KEY)')
    .option('--base-url <url>', 'url of the service (default: the variable MODELRUN_BASE_URL)')
    .option('--profile <name>', 'url and key that `modelrun login` stored (default: the variable MODELRUN_PROFILE)')
}

/** Adds the option of {@link OutputOptions}. */
export function addOutputOptions(command: Command): Command {
  return command.option('--json', 'print one JSON object a line')
}

/** Adds the options of {@link ServiceOptions}. */
export function addServiceOptions(command: Command): Command {
  return addOutputOptions(addConnectionOptions(command))
}

/** Adds the options of {@link PriceOptions}. */
export function addPriceOptions(command: Command, unit: 'run' | 'batch'): Command {
  const maxCredits = new Option(
    '--max-credits <number>',
    `pay no more than so many credits for the ${unit}, and without a question`,
  )
  return command
    .addOption(maxCredits.argParser(readNumber('a number of credits, such as 10', 0)).env('MODELRUN_MAX_CREDITS'))
    .option('-y, --yes', 'pay the price, without a question')
}

/** Adds the options of {@link FileOptions} and {@link WaitOptions}. */
export function addJobOptions(command: Command): Command {
  const onInterrupt = new Option('--on-interrupt <what>', 'what Ctrl-C does with the job')
  return command
    .option('--timeout <duration>', 'stop waiting after this time, such as 90s or 10m; the job continues', readDuration)
    .addOption(onInterrupt.choices(['detach', 'cancel']).default('detach'))
    .option('-o, --out <folder>', 'save the files there (default: the current folder)')
    .option('--name <template>', `name of a file, of {model} {job_id} {index} {ext} (default: ${DEFAULT_TEMPLATE})`)
    .option('--no-save', 'print the urls of the files and save none')
}

/** Adds the options of {@link RunCommandOptions}. */
export function addRunOptions(command: Command): Command {
  addPriceOptions(command, 'run')
    .option('-i, --input <file>', 'read parameters from a JSON file; - reads standard input')
    .option('-p, --param <name=value>', 'give a parameter whose flag is taken or impossible; repeatable', collectParam)
    .option('--no-wait', 'print the id of the job and do not wait for its end')
  return addServiceOptions(addJobOptions(command))
}

/** Adds what a folder needs that belongs to one account. */
export function addSameAccount(command: Command): Command {
  return command.option('--same-account', 'the folder is of the same account, with a new key or at a new url')
}

/** Adds the options of {@link ReceiverOptions}. */
export function addReceiverOptions(command: Command): Command {
  return command
    .requiredOption('--forward-to <url>', 'url of the receiver', readUrl)
    .option('--public-url <url>', 'publicUrl of its inbox, or none (default: the same url)', (text) =>
      text === 'none' ? text : readUrl(text),
    )
    .option('--duplicate <number>', 'deliver so many more times', readCount(0), 0)
}

/** Collects the values of an option that is given several times. */
export function collect<Value>(value: Value, previous: readonly Value[] = []): Value[] {
  return [...previous, value]
}

/** @throws InvalidArgumentError */
function collectParam(pair: string, previous?: readonly (readonly [string, string])[]) {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
  if (name !== undefined && text !== undefined) return collect([name, text] as const, previous)
  throw new InvalidArgumentError('It must be a name and a value, such as --param seed=1.')
}

/** Reads a number within bounds. What is wrong is reported by `what`. */
export function readNumber(what: string, least: number, most = Number.MAX_VALUE): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be ${what}.`)
  }
}

/** Reads a whole number. */
export function readCount(least: number, most = 999_999_999): (text: string) => number {
  const read = readNumber(`a whole number from ${least} ${most === 999_999_999 ? 'on' : `to ${most}`}`, least, most)
  return (text) => read(/^\d+$/.test(text) ? text : '')
}

/** Reads what is between cells. @throws InvalidArgumentError */
export function readDelimiter(text: string): string {
  const delimiter = text.replace(/^(\\t|tab)$/, '\t')
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter
  throw new InvalidArgumentError('It must be one character, such as ; or tab.')
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Reads a duration into milliseconds. @throws InvalidArgumentError */
function readDuration(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  if (number !== undefined) return Number(number) * (UNITS[unit] ?? 1)
  throw new InvalidArgumentError('It must be a duration, such as 90s, 10m or 500ms.')
}

/** A url without a scheme is one of this machine. @throws InvalidArgumentError */
function readUrl(text: string): string {
  const url = /^(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/.test(text) ? `http://${text}` : text
  if (/^https?:$/.test(toUrl(url)?.protocol ?? '')) return url
  throw new InvalidArgumentError('It must be an http url, such as http://localhost:3000/webhooks.')
}
