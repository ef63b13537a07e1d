import { toUrl } from '@modelrun/kit'
import { type Command, InvalidArgumentError, Option } from 'commander'

export interface ConnectionOptions {
  apiKeyFile?: string | undefined
  baseUrl?: string | undefined
}

export interface ServiceOptions extends ConnectionOptions {
  json?: boolean | undefined
}

export interface PriceOptions {
  maxCredits?: number | undefined
  yes?: boolean | undefined
}

export interface FileOptions {
  out?: string | undefined
  save: boolean
  timeout?: number | undefined
}

export interface RunCommandOptions extends ServiceOptions, PriceOptions, FileOptions {
  input?: string | undefined
  wait: boolean
}

export interface ReceiverOptions {
  forwardTo: string
  /** `publicUrl` of the receiver's inbox; `none` when it has none. Default: `forwardTo`. */
  publicUrl?: string | undefined
  duplicate: number
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option('--api-key-file <file>', 'read the API key from a file (default: the variable MODELRUN_API_KEY)')
    .option('--base-url <url>', 'url of the service (default: the variable MODELRUN_BASE_URL)')
}

export function addServiceOptions(command: Command): Command {
  return addConnectionOptions(command).option('--json', 'print one JSON object a line')
}

export function addPriceOptions(command: Command, unit: 'run' | 'batch'): Command {
  const maxCredits = new Option(
    '--max-credits <number>',
    `pay no more than so many credits for the ${unit}, and without a question`,
  )
  return command
    .addOption(maxCredits.argParser(readNumber('a number of credits, such as 10', 0)).env('MODELRUN_MAX_CREDITS'))
    .option('-y, --yes', 'pay the price, without a question')
}

export function addFileOptions(command: Command): Command {
  return command
    .option(
      '--timeout <seconds>',
      'stop waiting for the job after this time; it continues',
      readNumber('a number above 0', 0.001),
    )
    .option('-o, --out <folder>', 'save the files there (default: the current folder)')
    .option('--no-save', 'print the urls of the files and save none')
}

export function addRunOptions(command: Command): Command {
  addPriceOptions(command, 'run')
    .option('-i, --input <file>', 'read parameters from a JSON file; - reads standard input')
    .option('--no-wait', 'print the id of the job and do not wait for its end')
  return addServiceOptions(addFileOptions(command))
}

export function addSameAccount(command: Command): Command {
  return command.option('--same-account', 'the folder is of the same account, with a new key or at a new url')
}

export function addReceiverOptions(command: Command): Command {
  return command
    .requiredOption('--forward-to <url>', 'url of the receiver', readUrl)
    .option('--public-url <url>', 'publicUrl of its inbox, or none (default: the same url)', (text) =>
      text === 'none' ? text : readUrl(text),
    )
    .option('--duplicate <number>', 'deliver so many more times', readCount(0), 0)
}

/** Reads a number within bounds. What is wrong is reported by `what`. */
function readNumber(what: string, least: number, most = Number.MAX_VALUE): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be ${what}.`)
  }
}

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

/** A url without a scheme is one of this machine. @throws InvalidArgumentError */
function readUrl(text: string): string {
  const url = /^(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/.test(text) ? `http://${text}` : text
  if (/^https?:$/.test(toUrl(url)?.protocol ?? '')) return url
  throw new InvalidArgumentError('It must be an http url, such as http://localhost:3000/webhooks.')
}
