import { KEY_PREFIXES, type Permission } from '@modelrun/contract'
import * as kit from '@modelrun/kit'
import { type ConformanceClock, createClock } from './clock.ts'
import type { WebhookReceiver } from './webhooks/webhook-endpoints.ts'

/** Keys with restricted rights, by the permissions that they lack. Without one, its checks are skipped (section 5). */
export const SPECIAL_KEYS = {
  'read-only': ['models:run', 'jobs:write', 'webhooks:manage'],
  'without-models-read': ['models:read'],
  'without-models-run': ['models:run'],
  'without-jobs-read': ['jobs:read'],
  'without-jobs-write': ['jobs:write'],
  'without-webhooks-manage': ['webhooks:manage'],
  revoked: [],
  'no-credits': [],
} as const satisfies Record<string, readonly Permission[]>

/** What a key must be, in a sentence. */
export function describeKey(name: SpecialKey): string {
  if (name === 'no-credits') return 'a key of an account without credits'
  return name === 'revoked' ? 'a key that was revoked' : `a key that lacks ${SPECIAL_KEYS[name].join(', ')}`
}

/** Name of a key with restricted rights. */
export type SpecialKey = keyof typeof SPECIAL_KEYS

/** A model to run. */
export interface ModelChoice {
  /** Id of the model. */
  model: string
  /** Its input. Default: made from the model's `input_schema`. */
  input?: Record<string, unknown> | undefined
}

/** How long the suite waits, in milliseconds of its clock. */
interface TimeLimits {
  /** For a job to end. Default 15 minutes. */
  jobMs: number
  /** For a webhook delivery once its job has ended. Default 2 minutes. */
  deliveryMs: number
  /** How long to wait for events that must not come, such as a second delivery. Default 30 s. */
  quietMs: number
}

/** What to check, and how far the suite may go. */
export interface ConformanceOptions {
  /** Base URL of the service; the suite appends the paths of the specification. */
  baseUrl: string
  /** A key with all permissions. */
  apiKey: string
  /** More keys, for checks of permissions and rejections. */
  keys?: { [Name in SpecialKey]?: string | undefined } | undefined
  /** Whether to send more than GET requests: to run models, which costs credits, and to cancel jobs. Default `false`. */
  allowRuns?: boolean | undefined
  /** Maximum cost of all runs together. The suite does not start when the plan could cost more. Default 0. */
  maxCredits?: number | undefined
  /**
   * The models to run. `main`: a quick one, default the cheapest whose input can be made from its schema. `slow`: one
   * that takes longer than about 55 s. `failing`: a model and an input that fail at the provider. Checks that need
   * `slow` or `failing` are skipped without it.
   */
  models?:
    | { main?: ModelChoice | undefined; slow?: ModelChoice | undefined; failing?: ModelChoice | undefined }
    | undefined
  /** Receives webhooks. Checks of deliveries are skipped without it. */
  receiver?: WebhookReceiver | undefined
  /**
   * Returns the balance of the account. Called before the first run, where a run could pass the limit, and at the end until it
   * has not changed for four minutes. The interface has no such endpoint, so checks of charges are skipped without it.
   */
  readCredits?: (() => Promise<number>) | undefined
  /** Ids of checks or requirements. Default: all. */
  only?: readonly string[] | undefined
  /** Default: the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Default: real time. */
  clock?: ConformanceClock | undefined
  /** Time limits. A limit that is left out keeps its default. */
  limits?: { [Name in keyof TimeLimits]?: TimeLimits[Name] | undefined } | undefined
  /** Called with what the suite does now, such as "run: held": the checks are made after all requests. */
  onProgress?: ((sentence: string) => void) | undefined
}

type Models = NonNullable<ConformanceOptions['models']>

/** Options without a default. */
type Unsaid = 'receiver' | 'readCredits' | 'only'

export type ResolvedOptions = Pick<ConformanceOptions, Unsaid> & { limits: TimeLimits } & {
  [Name in Exclude<keyof ConformanceOptions, Unsaid | 'limits'>]-?: NonNullable<ConformanceOptions[Name]>
}

/**
 * The suite cannot start: nothing serves the API at `baseUrl`, the key is rejected, the budget is too
 * small, or no model can be run. The message says what to do. Nothing was judged and nothing was run.
 */
export class CannotStartError extends Error {
  override readonly name = 'CannotStartError'
}

const record = kit.must('an object', kit.isRecord)
const choice = kit.must("an object, like { model: 'an-id' }", kit.isRecord)

const OPTIONS: kit.Checks<ConformanceOptions> = {
  baseUrl: baseUrlProblem,
  apiKey: (value) => (isSendable(value) ? undefined : 'must be an API key with all permissions, without white space'),
  keys: record,
  allowRuns: kit.flag,
  maxCredits: kit.notNegative,
  models: record,
  receiver: kit.having('a receiver', 'onRequest'),
  readCredits: kit.callback,
  only: kit.must('a list of ids', Array.isArray),
  fetch: kit.callback,
  clock: kit.clock,
  limits: record,
  onProgress: kit.callback,
}

const MODELS: kit.Checks<Models> = { main: choice, slow: choice, failing: choice }
const MODEL: kit.Checks<ModelChoice> = { model: kit.needs('an id', kit.isText), input: record }
const KEYS: Readonly<Record<string, kit.Check>> = Object.fromEntries(
  Object.keys(SPECIAL_KEYS).map((name) => [name, kit.hidden('an API key, without white space', isSendable)]),
)
const LIMITS: kit.Checks<TimeLimits> = { jobMs: kit.positive, deliveryMs: kit.positive, quietMs: kit.positive }
const DEFAULT_LIMITS: TimeLimits = { jobMs: 15 * 60_000, deliveryMs: 120_000, quietMs: 30_000 }

/** @throws ConfigurationError that says which option is wrong and what is allowed */
export function resolveOptions(given: ConformanceOptions): ResolvedOptions {
  const options = kit.readOptions('runConformance', given, OPTIONS)
  const keys = kit.readOptions<object>('keys', options.keys ?? {}, KEYS)
  const isLive = [options.apiKey, ...Object.values(keys)].some((key) => key?.startsWith(KEY_PREFIXES.live))
  if (isLive && kit.isPlainHttp(options.baseUrl))
    throw new CannotStartError(
      'A live key is not sent over http, where everybody on the way can read it: use https, or a test key.',
    )
  return {
    ...options,
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    keys,
    allowRuns: options.allowRuns ?? false,
    maxCredits: options.maxCredits ?? 0,
    models: modelsOf(options.models),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? createClock(),
    limits: { ...DEFAULT_LIMITS, ...kit.readOptions<object>('limits', options.limits ?? {}, LIMITS) },
    onProgress: options.onProgress ?? (() => {}),
  }
}

function modelsOf(given: Models = {}): Models {
  const models = kit.readOptions('models', given, MODELS)
  const read = (kind: keyof Models) => models[kind] && kit.readOptions(`models.${kind}`, models[kind], MODEL)
  return { main: read('main'), slow: read('slow'), failing: read('failing') }
}

function baseUrlProblem(value: unknown): string | undefined {
  const url = String(value)
  if (/^\w+:\/\/[^/]*@/.test(url)) return 'must be without a user and a password'
  if (!URL.canParse(url) || !/^https?:\/\//.test(url) || /[?#\s]/.test(url)) {
    return `must be an http or https URL without a query, not ${kit.showValue(value)}`
  }
  const [, root] = /^(.*)\/v1\/*$/.exec(url) ?? []
  return root === undefined ? undefined : `must be without /v1 at its end: the suite adds that itself. Use ${root}`
}

/** Whether a string can stand behind `Bearer ` in a header. */
function isSendable(apiKey: unknown): boolean {
  return typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)
}
