import { isRecord } from '@modelrun/kit'
import type * as z from 'zod/mini'
import {
  type AssumptionOptions,
  type Assumptions,
  assumptionsSchema,
  DEFAULT_ASSUMPTIONS,
} from './assumptions/assumptions.ts'
import { readApiKey, readControlToken } from './chosen-secrets.ts'
import { LATEST_TIME_MS } from './clock/clock.ts'
import { type ClockSetting, LARGEST_SCALE } from './clock/create-clock.ts'
import type { CatalogModel } from './domain/catalog.ts'
import { type LatencyOf, type LatencyOption, readLatency } from './domain/plan-job.ts'
import { readCatalog } from './domain/read-catalog.ts'
import { DEFAULT_RETENTION, type Retention, type RetentionOptions, retentionSchema } from './history/retention.ts'
import { MAX_NESTING, nestingProblem, nestsDeeperThan, parseShape } from './json.ts'
import type { Deliver } from './webhooks/receivers.ts'

/** How to create a reference server. Every option may be left out. */
export interface ReferenceServerOptions {
  /** How time passes: `'system'` (default), `'manual'`, `'auto'` or `{ scale: n }`, n times as fast. */
  clock?: ClockSetting | undefined
  /** An integer that all ids and files are made from. Default 1. */
  seed?: number | undefined
  /**
   * The first API key, `server.apiKey`: a test key, `sk_test_` and 1 to 100 letters, digits, `_` and `-`. Default: made
   * from `seed`, so the same seed gives the same key.
   */
  apiKey?: string | undefined
  /** The models. Default: `DEFAULT_CATALOG`. */
  catalog?: readonly CatalogModel[] | undefined
  /**
   * How long runs take, in milliseconds on the server's clock: of all models (`0`, `{ p50Ms: 2_000, p95Ms: 9_000 }`), or
   * of some (`{ 'aurora-image': 500 }`). Default: what the catalog says.
   */
  latency?: LatencyOption | undefined
  /** Credits of an account. Default 10 000. */
  credits?: number | undefined
  /** URL of the server and of its files. Default `https://reference.modelrun.test`. */
  baseUrl?: string | undefined
  /** Other choices for what the specification leaves open. */
  assumptions?: AssumptionOptions | undefined
  /**
   * The observed choices of another service: the `profile` of a report of `@modelrun/conformance`, or the report.
   * `assumptions` has the last word.
   */
  profile?: ProfileOption | undefined
  /** Gets the deliveries, in place of the servers at their URLs; see `server.webhooks.deliver`. Default: they are sent. */
  deliver?: Deliver | undefined
  /**
   * What the header `x-reference-token` must be for control requests from other machines: 16 to 200 visible ASCII
   * characters. Default: random.
   */
  controlToken?: string | undefined
  /** Gets one line for each request and each delivery. Default: none. */
  log?: ((line: string) => void) | undefined
  /**
   * Time at which the clock starts: a date or milliseconds since 1970. Default: now, and for a `manual` or `auto` clock
   * 2026-01-01T00:00:00Z, so that runs repeat themselves.
   */
  startTime?: Date | number | undefined
  /** How much the server stores of finished jobs, deliveries and the journal. */
  retention?: RetentionOptions | undefined
  /**
   * Audits the credits after every request: credits are conserved, a job is charged once at most, and never when it
   * fails or is cancelled. A request after which the credits are wrong gets a 500 with the story of the job. `await
   * using` then also throws when something is left over (`report()`). Default `false`.
   */
  strict?: boolean | undefined
}

/** A profile, or the report that holds it. */
export type ProfileOption = AssumptionOptions | { profile: AssumptionOptions }

/** The options with every one of them settled. */
export interface ResolvedOptions {
  clock: ClockSetting
  seed: number
  /** `undefined`: made from the seed. */
  apiKey: string | undefined
  catalog: readonly CatalogModel[]
  latencyOf: LatencyOf
  credits: number
  baseUrl: string
  assumptions: Assumptions
  deliver: Deliver | undefined
  /** `undefined`: random. */
  controlToken: string | undefined
  /** `undefined`: no line is made. */
  log: ((line: string) => void) | undefined
  /** `undefined`: the clock's own. */
  startTime: number | undefined
  retention: Retention
  strict: boolean
}

const DEFAULT_CREDITS = 10_000
const DEFAULT_BASE_URL = 'https://reference.modelrun.test'

const OPTION_NAMES = {
  clock: true,
  seed: true,
  apiKey: true,
  catalog: true,
  latency: true,
  credits: true,
  baseUrl: true,
  assumptions: true,
  profile: true,
  deliver: true,
  controlToken: true,
  log: true,
  startTime: true,
  retention: true,
  strict: true,
} satisfies Record<keyof ReferenceServerOptions, true>

/** @throws TypeError that says which option is wrong and what is allowed */
export function resolveOptions(options: ReferenceServerOptions): ResolvedOptions {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name))
  if (unknown !== undefined) {
    throw new TypeError(
      `createReferenceServer has no option ${unknown}. It has: ${Object.keys(OPTION_NAMES).join(', ')}.`,
    )
  }
  const { seed = 1, credits = DEFAULT_CREDITS, deliver, log, strict = false } = options
  const catalog = readCatalog(options.catalog)
  return {
    clock: readClock(options.clock),
    seed: valid(Number.isSafeInteger(seed), seed, 'seed: an integer'),
    apiKey: readApiKey(options.apiKey),
    catalog,
    latencyOf: readLatencies(options.latency, catalog),
    credits: valid(isCredits(credits), credits, 'credits: an integer, 0 or more'),
    baseUrl: readBaseUrl(options.baseUrl),
    assumptions: readAssumptions(options),
    deliver: deliver && valid(typeof deliver === 'function', deliver, 'deliver: a function that takes a Request'),
    controlToken: readControlToken(options.controlToken),
    log: log && writeSafely(valid(typeof log === 'function', log, 'log: a function that takes a line')),
    startTime: readStartTime(options.startTime),
    retention: readMembers('retention', options.retention, { schema: retentionSchema, defaults: DEFAULT_RETENTION }),
    strict: valid(typeof strict === 'boolean', strict, 'strict: true or false'),
  }
}

/** A line that cannot be written must not lose the response to a run, which is charged by then. */
function writeSafely(log: (line: string) => void): (line: string) => void {
  return (line) => {
    try {
      log(line)
    } catch (error) {
      console.error('modelrun-reference-server: the option `log` failed:', error)
    }
  }
}

/** Whether a number of credits makes sense. */
function isCredits(credits: unknown): credits is number {
  return Number.isSafeInteger(credits) && Number(credits) >= 0
}

/** A URL without the slash at its end. */
export function readBaseUrl(baseUrl = DEFAULT_BASE_URL): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  // Paths are put behind the text, and `fetch` takes no URL with a name and a password.
  const isPlain = !/[?#\s]/.test(baseUrl) && url?.username === '' && url.password === ''
  const isUsable = isPlain && /^https?:$/.test(url.protocol)
  return valid(isUsable, baseUrl, 'baseUrl: an http or https URL without query or password').replace(/\/+$/, '')
}

function readClock(clock: ClockSetting = 'system'): ClockSetting {
  const scale = typeof clock === 'object' && clock !== null ? clock.scale : Number.NaN
  const isUsable = clock === 'system' || clock === 'manual' || clock === 'auto' || (scale > 0 && scale <= LARGEST_SCALE)
  return valid(isUsable, clock, "clock: 'system', 'manual', 'auto' or { scale: n } with n above 0, a million at most")
}

function readStartTime(startTime?: Date | number): number | undefined {
  if (startTime === undefined) return undefined
  const time = startTime instanceof Date ? startTime.getTime() : startTime
  const isUsable = typeof time === 'number' && Math.abs(time) <= LATEST_TIME_MS
  return valid(isUsable, time, 'startTime: a Date or milliseconds since 1970')
}

function readAssumptions({ profile, assumptions }: ReferenceServerOptions): Assumptions {
  const observed = readSwitches('profile', isReport(profile) ? profile.profile : profile, DEFAULT_ASSUMPTIONS)
  return readSwitches('assumptions', assumptions, observed)
}

function isReport(profile: ProfileOption | undefined): profile is { profile: AssumptionOptions } {
  return typeof profile === 'object' && profile !== null && Object.hasOwn(profile, 'profile')
}

function readSwitches(option: string, switches: AssumptionOptions = {}, defaults: Assumptions): Assumptions {
  const members = isRecord(switches) ? withRejections(switches, defaults) : switches
  return readMembers(option, members, { schema: assumptionsSchema, defaults })
}

/** The rejections that are not given keep their defaults; what is not an object is for the schema. */
function withRejections(switches: AssumptionOptions, defaults: Assumptions): object {
  const { rejections } = switches
  return isRecord(rejections)
    ? { ...switches, rejections: { ...defaults.rejections, ...definedOf(rejections) } }
    : switches
}

/** Without the members that are `undefined`. */
function definedOf(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** An option that is an object, each member of which may be left out. */
function readMembers<Value extends object>(
  option: string,
  members: object = {},
  { schema, defaults }: { schema: z.ZodMiniType<Value>; defaults: Value },
): Value {
  if (!isRecord(members))
    throw new TypeError(`The option ${option} is not right. It must be an object, not ${show(members)}.`)
  const checked = parseShape(schema, { ...defaults, ...definedOf(members) })
  if (!checked.ok) throw new TypeError(`The option ${option} is not right. ${checked.message}`)
  return checked.value
}

function readLatencies(latency: LatencyOption | undefined, catalog: readonly CatalogModel[]): LatencyOf {
  const checked = readLatency(
    latency,
    catalog.map(({ id }) => id),
  )
  if (!checked.ok) throw new TypeError(`The option latency is not right. ${checked.message}`)
  return checked.value
}

function valid<Value>(isUsable: boolean, value: Value, allowed: string): Value {
  if (isUsable) return value
  throw new TypeError(`createReferenceServer takes ${allowed}; it got ${show(value)}.`)
}

function show(value: unknown): string {
  if (nestsDeeperThan(MAX_NESTING, value)) return `a value that ${nestingProblem()}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
