import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '../assumptions/assumptions.ts'
import { closestName } from '../domain/closest-name.ts'
import type { LatencyOption } from '../domain/latency.ts'
import { UsageError } from './usage-error.ts'

/** The values of an option that may be given several times. */
export type RawValues = readonly (string | boolean)[] | undefined

/** The assumptions of `--assume name=value`. Whether the values are allowed is told by the server. */
export function readAssumptionValues(raws: RawValues = []): AssumptionOptions {
  const pairs = raws.map((raw) => {
    const [name, value] = splitPair(String(raw))
    if (value === undefined) throw new UsageError(`--assume needs a name and a value, as in ${EXAMPLE}, got "${raw}".`)
    return readAssumption(name, value)
  })
  const rejections = Object.fromEntries(
    pairs.filter(([name]) => name.startsWith(REFUSALS)).map(([name, value]) => [name.slice(REFUSALS.length), value]),
  )
  const others = Object.fromEntries(pairs.filter(([name]) => !name.startsWith(REFUSALS)))
  return Object.keys(rejections).length === 0 ? others : { ...others, rejections: rejections }
}

const REFUSALS = 'rejections.'

/** A list is written with commas, a rejection as `404:NOT_FOUND` or `accepted`. */
function readAssumption(name: string, value: string): [name: string, value: unknown] {
  if (!ASSUMPTION_NAMES.includes(name)) throw new UsageError(unknownAssumption(name))
  if (name.startsWith(REFUSALS)) return [name, parseRefusal(value)]
  const isList = Array.isArray(Reflect.get(DEFAULT_ASSUMPTIONS, name))
  return [name, isList ? value.split(',').filter((item) => item !== '') : parseValue(value)]
}

function parseRefusal(text: string): unknown {
  const [status = '', code = null] = text.split(':')
  return text === 'accepted' ? text : { status: Number(status), code }
}

const ASSUMPTION_NAMES: readonly string[] = /* @__PURE__ */ (() => {
  const { rejections, ...others } = DEFAULT_ASSUMPTIONS
  return [...Object.keys(others), ...Object.keys(rejections).map((kind) => `${REFUSALS}${kind}`)]
})()

const EXAMPLE = 'asyncRunStatus=200'

function unknownAssumption(name: string): string {
  const names = ASSUMPTION_NAMES
  const closest = closestName(name, names)
  const advice = closest === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${closest}?`
  return `--assume: there is no assumption ${name}. ${advice}`
}

/**
 * The latencies of `--latency`: `500`, `2000/9000`, `aurora-image=500`. One for all models, or some by their names.
 * Whether there are such models is told by the server.
 */
export function readLatencyValues(raws: RawValues = []): LatencyOption | undefined {
  if (raws.length === 0) return undefined
  const pairs = raws.map((raw) => splitPair(String(raw)))
  const [first] = pairs
  if (first !== undefined && pairs.length === 1 && first[1] === undefined) return readLatencyValue(first[0])
  return Object.fromEntries(
    pairs.map(([model, value]) => {
      if (value !== undefined) return [model, readLatencyValue(value)]
      throw new UsageError('--latency is for all models once, or for each with its name, as in aurora-image=500.')
    }),
  )
}

function readLatencyValue(text: string): number | { p50Ms: number; p95Ms: number } {
  const [p50Ms = Number.NaN, p95Ms] = text.split('/').map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN))
  const isUsable = /^\d+(\/\d+)?$/.test(text)
  if (!isUsable) {
    throw new UsageError(`--latency must be milliseconds, as in 500 or 2000/9000 (median and 95 %), got "${text}".`)
  }
  return p95Ms === undefined ? p50Ms : { p50Ms, p95Ms }
}

/** A fault of `--fault`, and how it was written. */
export interface FaultSetting {
  text: string
  fault: unknown
}

/** The faults of `--fault kind,name=value,…`, or in JSON. Whether they are right is told by the server. */
export function readFaultValues(raws: RawValues = []): FaultSetting[] {
  return raws.map((raw) => {
    const text = String(raw)
    return { text, fault: text.startsWith('{') ? parseFaultJson(text) : parseFaultText(text) }
  })
}

function parseFaultJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--fault is neither JSON nor a kind with name=value behind commas: ${text}`)
  }
}

function parseFaultText(text: string): object {
  const [kind = '', ...rest] = text.split(',')
  const pairs = rest.map((part) => {
    const [name, value] = splitPair(part)
    if (value !== undefined) return [name, parseValue(value)]
    throw new UsageError(`--fault ${text}: behind the kind, each part is name=value; "${part}" is not.`)
  })
  return { kind, ...Object.fromEntries(pairs) }
}

function splitPair(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** A number, a truth value or null, where it looks like one; else the text. */
function parseValue(text: string): unknown {
  return /^(-?\d+(\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text
}
