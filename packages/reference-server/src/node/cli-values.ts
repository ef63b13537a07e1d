import { CONTROL_TOKEN_FORM, isControlToken, isTestKey, TEST_KEY_FORM } from '../chosen-secrets.ts'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import { readBaseUrl } from '../options.ts'
import type { OptionName } from './cli-option-table.ts'
import { readOrigin } from './read-origin.ts'
import { UsageError } from './usage-error.ts'

/** The value of an option that is given once at most. */
export type RawValue = string | boolean | undefined

interface IntegerRange {
  minimum: number
  maximum: number
  /** The range in words. */
  allowed: string
}

export const PORT_RANGE: IntegerRange = { minimum: 0, maximum: 65_535, allowed: 'an integer from 0 to 65535' }
export const KEYS_RANGE: IntegerRange = { minimum: 1, maximum: 1_000, allowed: 'an integer from 1 to 1000' }
export const SEED_RANGE: IntegerRange = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  allowed: 'an integer',
}
export const CREDITS_RANGE: IntegerRange = {
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  allowed: 'an integer, 0 or more',
}

const CLOCKS = ['system', 'manual', 'auto'] as const

/** How time passes. */
export type CliClock = (typeof CLOCKS)[number] | { scale: number }

export function readInteger(name: OptionName, raw: RawValue, range: IntegerRange): number | undefined {
  if (raw === undefined) return undefined
  const value = /^-?\d+$/.test(String(raw)) ? Number(raw) : Number.NaN
  if (value >= range.minimum && value <= range.maximum) return value
  throw new UsageError(`--${name} must be ${range.allowed}, got "${raw}".`)
}

export function readHost(raw: RawValue): string {
  const host = String(raw ?? '127.0.0.1')
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

export function readUrl(raw: RawValue): string | undefined {
  if (raw === undefined) return undefined
  try {
    return readBaseUrl(String(raw))
  } catch {
    throw new UsageError(`--base-url must be an http or https URL without query or password, got "${raw}".`)
  }
}

export function readKey(raw: RawValue): string | undefined {
  if (raw === undefined || isTestKey(raw)) return raw
  // Without what was given: it may be a key of production.
  throw new UsageError(`--key must be ${TEST_KEY_FORM}.`)
}

export function readControlToken(raw: RawValue): string | undefined {
  if (raw === undefined || isControlToken(raw)) return raw
  throw new UsageError(`--control-token must be ${CONTROL_TOKEN_FORM}.`)
}

export function readOrigins(raws: readonly (string | boolean)[] = []): string[] {
  return raws.map((raw) => {
    const origin = readOrigin(String(raw))
    if (origin !== undefined) return origin
    throw new UsageError(`--cors must be an origin, as in http://localhost:5173, or *, got "${raw}".`)
  })
}

export function readClock(rawClock: RawValue, rawScale: RawValue): CliClock {
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
