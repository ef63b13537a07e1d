import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import { readBaseUrl } from '../service/options.ts'
import { readOrigin } from './cors.ts'
import { UsageError } from './errors.ts'

/** The assumptions of `--assume name=value`. The server checks their values. */
export function readAssumptionValues(texts: readonly string[] = []): AssumptionOptions {
  return Object.fromEntries(texts.map(readAssumption))
}

function readAssumption(text: string): [name: string, value: unknown] {
  const [name, value] = splitPair(text)
  if (value === undefined) {
    throw new UsageError(`--assume needs a name and a value, as in asyncRunStatus=200, got "${text}".`)
  }
  const [, status, code] = /^(\d+):(.+)$/.exec(value) ?? []
  return [name, code === undefined ? parseValue(value) : { status: Number(status), code }]
}

export interface FaultSetting {
  text: string
  fault: object
}

/** A fault of `--fault kind,name=value,…`. The server checks it. */
export function readFault(text: string): FaultSetting {
  const [kind = '', ...rest] = text.split(',')
  const pairs = rest.map((part) => {
    const [name, value] = splitPair(part)
    if (value !== undefined) return [name, parseValue(value)]
    throw new UsageError(`--fault ${text}: behind the kind, each part is name=value; "${part}" is not.`)
  })
  return { text, fault: { kind, ...Object.fromEntries(pairs) } }
}

function splitPair(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** A number, a truth value or null, where it looks like one; else the text. */
function parseValue(text: string): unknown {
  return /^(-?\d+(\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text
}

const CLOCKS = ['system', 'manual', 'auto'] as const

export type CliClock = (typeof CLOCKS)[number] | { scale: number }

export function integer(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER) {
  return (text: string, name: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new UsageError(`--${name} must be an integer${rangeText(minimum, maximum)}, got "${text}".`)
  }
}

function rangeText(minimum: number, maximum: number): string {
  if (minimum === Number.MIN_SAFE_INTEGER) return ''
  return maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
}

export function readHost(text: string): string {
  return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
}

export function readUrl(text: string, name: string): string {
  try {
    return readBaseUrl(name, text)
  } catch {
    throw new UsageError(`--${name} must be an http or https URL without query or password, got "${text}".`)
  }
}

export function readOriginValue(text: string): string {
  const origin = readOrigin(text)
  if (origin !== undefined) return origin
  throw new UsageError(`--cors must be an origin, as in http://localhost:5173, or *, got "${text}".`)
}

export function readClock(mode: string | undefined, scale: string | undefined): CliClock {
  if (scale !== undefined) return { scale: readScale(scale) }
  const clock = CLOCKS.find((one) => one === (mode ?? 'system'))
  if (clock === undefined) throw new UsageError(`--clock must be one of ${CLOCKS.join(', ')}, got "${mode}".`)
  return clock
}

function readScale(text: string): number {
  const scale = /^\d*\.?\d+$/.test(text) ? Number(text) : 0
  if (scale > 0 && scale <= LARGEST_SCALE) return scale
  throw new UsageError(`--scale must be a number above 0, such as 60, and at most ${LARGEST_SCALE}, got "${text}".`)
}
