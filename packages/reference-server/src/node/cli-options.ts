import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { AssumptionOptions } from '../assumptions/assumptions.ts'
import { closestName } from '../domain/closest-name.ts'
import type { LatencyOption } from '../domain/latency.ts'
import { isOptionName, OPTION_LIST, OPTIONS } from './cli-option-table.ts'
import { type FaultSetting, readAssumptionValues, readFaultValues, readLatencyValues } from './cli-settings.ts'
import {
  type CliClock,
  CREDITS_RANGE,
  KEYS_RANGE,
  PORT_RANGE,
  readClock,
  readControlToken,
  readHost,
  readInteger,
  readKey,
  readOrigins,
  readUrl,
  SEED_RANGE,
} from './cli-values.ts'
import { isLoopback } from './is-loopback.ts'
import { UsageError } from './usage-error.ts'

/** What the command line asks for. */
export type Command = { kind: 'help' } | { kind: 'version' } | ServeCommand

/** Run the server. */
export interface ServeCommand {
  kind: 'serve'
  port: number
  host: string
  /** Address that clients use, when it is not the one that is bound. */
  baseUrl: string | undefined
  /** Origins of web pages that may call. */
  cors: readonly string[]
  /** What the control API asks other machines for. */
  controlToken: string | undefined
  /** Whether to end when standard input does. */
  exitWithParent: boolean
  /** Whether webhooks may lead to private addresses although other machines can reach the server. */
  allowPrivateWebhooks: boolean
  clock: CliClock
  latency: LatencyOption | undefined
  /** File of the models. */
  catalog: string | undefined
  /** The first API key. */
  key: string | undefined
  /** How many keys there are. */
  keys: number
  credits: number | undefined
  seed: number | undefined
  assumptions: AssumptionOptions
  /** File of what another service was seen to do. */
  profile: string | undefined
  faults: readonly FaultSetting[]
  /** File that keeps everything over restarts. */
  state: string | undefined
  /** What to print once it listens; `text` also prints a line for each request. */
  announce: 'text' | 'json' | 'nothing'
}

/**
 * Reads the arguments of `modelrun-server`.
 *
 * @throws UsageError when one is unknown or has a value that is not allowed; the message says what is
 */
export function readCommand(args: readonly string[]): Command {
  // Not strict: the errors of `parseArgs` neither say what is allowed nor what was probably meant.
  const { values, tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true })
  for (const token of tokens) checkToken(token)
  checkRepeats(tokens)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const host = readHost(values.host)
  return {
    kind: 'serve',
    port: readInteger('port', values.port, PORT_RANGE) ?? 4010,
    host,
    baseUrl: readUrl(values['base-url']),
    cors: readOrigins(values.cors),
    controlToken: readControlToken(values['control-token']),
    exitWithParent: values['exit-with-parent'] === true,
    allowPrivateWebhooks: values['allow-private-webhooks'] === true,
    clock: readClock(values.clock, values.scale),
    latency: readLatencyValues(values.latency),
    catalog: values.catalog === undefined ? undefined : String(values.catalog),
    key: readKey(values.key),
    keys: readInteger('keys', values.keys, KEYS_RANGE) ?? 1,
    credits: readInteger('credits', values.credits, CREDITS_RANGE),
    // The key of a known seed is known to everyone, who could then let the server call any webhook.
    seed: readInteger('seed', values.seed, SEED_RANGE) ?? (isLoopback(host) ? undefined : randomInt(2 ** 32)),
    assumptions: readAssumptionValues(values.assume),
    profile: values.profile === undefined ? undefined : String(values.profile),
    faults: readFaultValues(values.fault),
    state: values.state === undefined ? undefined : String(values.state),
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

function checkRepeats(tokens: readonly Token[]): void {
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = OPTION_LIST.find(
    ([name, { type, multiple }]) => type === 'string' && !multiple && names.indexOf(name) !== names.lastIndexOf(name),
  )
  if (twice !== undefined) throw new UsageError(`--${twice[0]} is given twice. Give it once.`)
}

function adviceFor(name: string): string {
  const names = OPTION_LIST.map(([name]) => name)
  const closest = closestName(name, names)
  return closest === undefined
    ? `Options: ${names.map((known) => `--${known}`).join(', ')}.`
    : `Did you mean --${closest}?`
}
