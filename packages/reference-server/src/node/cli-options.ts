import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import { closestName } from '../domain/closest-name.ts'
import { readBaseUrl } from '../options.ts'
import { isLoopback } from './is-loopback.ts'

/** What the command line asks for. */
export type Command = { kind: 'help' } | { kind: 'version' } | ServeCommand

/** Run the server. */
export interface ServeCommand {
  kind: 'serve'
  port: number
  host: string
  /** Address that clients use, when it is not the one that is bound. */
  baseUrl: string | undefined
  clock: 'system' | 'manual' | 'auto' | { scale: number }
  seed: number | undefined
  credits: number | undefined
  /** What to print once it listens; `text` also prints a line for each request. */
  announce: 'text' | 'json' | 'nothing'
}

/** Something is wrong with the command line; the message is one line for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const CLOCKS = ['system', 'manual', 'auto'] as const

const OPTIONS = {
  port: { type: 'string', value: '<number>', help: 'port to listen on; 0 picks a free one (default: 4010)' },
  host: { type: 'string', value: '<address>', help: 'address to bind; 0.0.0.0 for every one (default: 127.0.0.1)' },
  'base-url': {
    type: 'string',
    value: '<url>',
    help: 'address that clients use, and that files get (default: where it listens)',
  },
  scale: { type: 'string', value: '<factor>', help: 'let time pass so many times as fast, such as 60' },
  clock: { type: 'string', value: '<mode>', help: 'system, manual (time moves when told) or auto (waits are skipped)' },
  seed: {
    type: 'string',
    value: '<integer>',
    help: 'start of ids, keys and files (default: 1; random beyond loopback)',
  },
  credits: { type: 'string', value: '<number>', help: 'credits of the account (default: 10000)' },
  json: { type: 'boolean', value: '', help: 'print one line of JSON when ready and nothing else, for programs' },
  quiet: { type: 'boolean', value: '', help: 'print nothing but errors' },
  help: { type: 'boolean', value: '', help: 'print this text', short: 'h' },
  version: { type: 'boolean', value: '', help: 'print the version' },
} as const

type OptionName = keyof typeof OPTIONS

/** The text of `--help`. */
export const HELP = [
  'Usage: modelrun-server [options]',
  '',
  'Runs the model inference service in memory and serves it over HTTP.',
  '',
  ...Object.entries(OPTIONS).map(([name, { value, help }]) => `  ${`--${name} ${value}`.padEnd(20)} ${help}`),
].join('\n')

/**
 * Reads the arguments of `modelrun-server`.
 *
 * @throws UsageError when one is unknown or has a value that is not allowed; the message says what is
 */
export function readCommand(args: readonly string[]): Command {
  // Not strict: the errors of `parseArgs` neither say what is allowed nor what was probably meant.
  const { values, tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true })
  for (const token of tokens) checkToken(token)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const host = readHost(values.host)
  return {
    kind: 'serve',
    port: readInteger('port', values.port, PORT_RANGE) ?? 4010,
    host,
    baseUrl: readUrl(values['base-url']),
    clock: readClock(values.clock, values.scale),
    // The key of a known seed is known to everyone, who could then let the server call any webhook.
    seed: readInteger('seed', values.seed, SEED_RANGE) ?? (isLoopback(host) ? undefined : randomInt(2 ** 32)),
    credits: readInteger('credits', values.credits, CREDITS_RANGE),
    announce: values.json ? 'json' : values.quiet ? 'nothing' : 'text',
  }
}

type Token = { kind: 'positional'; value: string } | OptionToken | { kind: 'option-terminator' }
type OptionToken = { kind: 'option'; name: string; rawName: string; value?: string | undefined }

function checkToken(token: Token): void {
  if (token.kind === 'positional') throw new UsageError(`"${token.value}" is no option. Every option begins with --.`)
  if (token.kind !== 'option') return
  const { name, rawName, value } = token
  if (!isOptionName(name)) throw new UsageError(`There is no option ${rawName}. ${adviceFor(name)}`)
  const { type } = OPTIONS[name]
  if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value, got "${value}".`)
  if (type === 'string' && !value) throw new UsageError(`${rawName} needs a value: ${rawName} ${OPTIONS[name].value}.`)
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name)
}

function adviceFor(name: string): string {
  const names = Object.keys(OPTIONS)
  const closest = closestName(name, names)
  return closest === undefined
    ? `Options: ${names.map((known) => `--${known}`).join(', ')}.`
    : `Did you mean --${closest}?`
}

type RawValue = string | boolean | undefined

interface IntegerRange {
  minimum: number
  maximum: number
  /** The range in words. */
  allowed: string
}

const PORT_RANGE = { minimum: 0, maximum: 65_535, allowed: 'an integer from 0 to 65535' }
const SEED_RANGE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, allowed: 'an integer' }
const CREDITS_RANGE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, allowed: 'an integer, 0 or more' }

function readInteger(name: OptionName, raw: RawValue, range: IntegerRange): number | undefined {
  if (raw === undefined) return undefined
  const value = /^-?\d+$/.test(String(raw)) ? Number(raw) : Number.NaN
  if (value >= range.minimum && value <= range.maximum) return value
  throw new UsageError(`--${name} must be ${range.allowed}, got "${raw}".`)
}

function readHost(raw: RawValue): string {
  const host = String(raw ?? '127.0.0.1')
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function readUrl(raw: RawValue): string | undefined {
  if (raw === undefined) return undefined
  try {
    return readBaseUrl(String(raw))
  } catch {
    throw new UsageError(`--base-url must be an http or https URL without query or password, got "${raw}".`)
  }
}

function readClock(rawClock: RawValue, rawScale: RawValue): ServeCommand['clock'] {
  if (rawScale !== undefined) return { scale: readScale(rawClock, rawScale) }
  const clock = CLOCKS.find((mode) => mode === (rawClock ?? 'system'))
  if (clock === undefined) throw new UsageError(`--clock must be one of ${CLOCKS.join(', ')}, got "${rawClock}".`)
  return clock
}

function readScale(rawClock: RawValue, rawScale: RawValue): number {
  if (rawClock !== undefined) throw new UsageError('--scale is a clock of its own: leave --clock out, or --scale.')
  const scale = /^\d*\.?\d+$/.test(String(rawScale)) ? Number(rawScale) : 0
  if (scale > 0 && scale <= LARGEST_SCALE) return scale
  throw new UsageError(`--scale must be a number above 0, such as 60, and at most ${LARGEST_SCALE}, got "${rawScale}".`)
}
