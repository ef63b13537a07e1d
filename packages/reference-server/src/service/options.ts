import { type AssumptionOptions, assumptionsSchema } from '@modelrun/contract/assumptions'
import { type Checks, callback, checkEach, count, hidden, memberOf, must, readOptions, toUrl } from '@modelrun/kit'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import { newKey } from '../domain/api-keys.ts'
import { type CatalogModel, DEFAULT_CATALOG } from '../domain/catalog.ts'
import { catalogProblem } from '../domain/read-catalog.ts'
import { type Retention, retentionSchema } from '../domain/retention.ts'
import { fits } from '../shared/parse-shape.ts'
import { Random } from '../shared/random.ts'
import type { Deliver } from '../webhooks/receivers.ts'

/** How to create a reference server. Every option may be left out. */
export interface ReferenceServerOptions {
  /** How time passes: `'system'` (default), `'manual'`, `'auto'` or `{ scale: n }`, n times as fast. */
  clock?: 'system' | 'manual' | 'auto' | { scale: number } | undefined
  /**
   * An integer that all ids and files are made from. Default: 1 on a `manual` or `auto` clock, so that runs repeat themselves, else
   * `'random'`: clients that remember jobs meet other ids at the next start. The first key is then that of seed 1.
   */
  seed?: number | 'random' | undefined
  /**
   * The first API key, `server.apiKey`: a test key, `sk_test_` and 1 to 100 letters, digits, `_` and `-`. Default: made
   * from `seed`, so the same seed gives the same key.
   */
  apiKey?: string | undefined
  /** The models. Default: `DEFAULT_CATALOG`. */
  catalog?: readonly CatalogModel[] | undefined
  /** How long runs of all models take, in milliseconds on the server's clock. Default: what the catalog says. */
  latency?: number | undefined
  /** Credits of an account. Default 10 000. */
  credits?: number | undefined
  /** URL of the server and of its files. Default `https://reference.modelrun.test`. */
  baseUrl?: string | undefined
  /**
   * Other choices for what the specification leaves open, such as those of another service: the `profile` of a report of
   * `@modelrun/conformance`.
   */
  assumptions?: AssumptionOptions | undefined
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
  retention?: Retention | undefined
}

const PLACE = 'createReferenceServer'
const DEFAULT_SEED = 1
const DEFAULT_CREDITS = 10_000
const DEFAULT_BASE_URL = 'https://reference.modelrun.test'

const baseUrl = /* @__PURE__ */ must('an http or https URL without query or password', (value) => {
  const url = toUrl(value)
  // Paths are put behind the text, and `fetch` takes no URL with a name and a password.
  const isPlain = url?.username === '' && url.password === '' && !/[?#\s]/.test(String(value))
  return isPlain && /^https?:$/.test(url.protocol)
})

const isText = (form: RegExp) => (value: unknown) => typeof value === 'string' && form.test(value)

const OPTIONS = /* @__PURE__ */ ((): Checks<ReferenceServerOptions> => ({
  clock: must("'system', 'manual', 'auto' or { scale: n } with n above 0, a million at most", isClock),
  seed: must("an integer, or 'random'", (seed) => seed === 'random' || Number.isSafeInteger(seed)),
  // A key of production does not belong in a test double.
  apiKey: hidden('a test key, sk_test_ and 1 to 100 letters, digits, _ and -', isText(/^sk_test_[\w-]{1,100}$/)),
  catalog: catalogProblem,
  latency: must(
    'milliseconds, 0 or more',
    (ms) => Number.isFinite(ms) && Number(ms) >= 0 && Number(ms) <= LATEST_TIME_MS,
  ),
  credits: count,
  baseUrl,
  assumptions: fits(assumptionsSchema),
  deliver: callback,
  // A short one could be guessed.
  controlToken: hidden('16 to 200 visible ASCII characters', isText(/^[\x21-\x7e]{16,200}$/)),
  log: callback,
  startTime: must('a Date or milliseconds since 1970', (value) => Math.abs(timeOf(value)) <= LATEST_TIME_MS),
  retention: fits(retentionSchema),
}))()

export type ResolvedOptions = ReturnType<typeof resolveOptions>

/** @throws ConfigurationError that says which option is wrong and what is allowed */
export function resolveOptions(given: ReferenceServerOptions) {
  const options = readOptions(PLACE, given, OPTIONS)
  const { catalog = DEFAULT_CATALOG, log, startTime } = options
  return {
    clock: options.clock ?? 'system',
    ...seedAndKey(options, options.clock === 'manual' || options.clock === 'auto' ? DEFAULT_SEED : 'random'),
    catalog,
    latency: options.latency,
    credits: options.credits ?? DEFAULT_CREDITS,
    baseUrl: readBaseUrl(PLACE, options.baseUrl ?? DEFAULT_BASE_URL),
    assumptions: z.parse(assumptionsSchema, options.assumptions ?? {}),
    deliver: options.deliver,
    controlToken: options.controlToken,
    log: log && writeSafely(log),
    startTime: startTime === undefined ? undefined : timeOf(startTime),
    retention: z.parse(retentionSchema, options.retention ?? {}),
  }
}

function seedAndKey(
  { seed: given, apiKey }: ReferenceServerOptions,
  byDefault: number | 'random',
): { seed: number; apiKey: string | undefined } {
  const seed = given ?? byDefault
  if (seed !== 'random') return { seed, apiKey }
  const [random = DEFAULT_SEED] = crypto.getRandomValues(new Int32Array(1))
  return { seed: random, apiKey: apiKey ?? newKey(new Random(DEFAULT_SEED), false) }
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

/** A URL without the slash at its end. @throws ConfigurationError */
export function readBaseUrl(place: string, url: string): string {
  checkEach(place, { baseUrl: url }, { baseUrl })
  return url.replace(/\/+$/, '')
}

function isClock(clock: unknown): boolean {
  const scale = memberOf(clock, 'scale')
  const isScale = typeof scale === 'number' && scale > 0 && scale <= LARGEST_SCALE
  return clock === 'system' || clock === 'manual' || clock === 'auto' || isScale
}

function timeOf(time: unknown): number {
  return time instanceof Date ? time.getTime() : typeof time === 'number' ? time : Number.NaN
}
