import type { Checks } from '@modelrun/kit'
import * as kit from '@modelrun/kit'
import { type Clock, systemClock } from '../shared/clock.ts'
import { secret } from '../shared/signing/keyring.ts'
import { createMemoryBudgetStore } from './budget/budget-store.ts'
import type { Authorize, ProxyBudget, ProxyErrorContext, ProxyOptions } from './proxy-options.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const PROXY_OPTIONS = /* @__PURE__ */ ((): Checks<ProxyOptions> => ({
  // The message does not have the value, which may be a key.
  client: (value) =>
    kit.hasMethods(kit.memberOf(value, 'models'), 'run')
      ? undefined
      : 'must be a client that has the key: `new ModelRun()`',
  models: kit.needs(
    "the ids that pages may run, like ['aurora-image']: all others are hidden",
    (value) => isTextList(value) && value.length > 0,
  ),
  secret: (value) => (value === undefined ? NO_SECRET : secret(value)),
  // Depends on other options.
  authorize: kit.unchecked,
  dangerouslyAllowAnyone: kit.flag,
  basePath: kit.must(
    'the path of the proxy on your server, like /api/modelrun',
    (value) => typeof value === 'string' && PATH.test(value),
  ),
  allowedOrigins: kit.must('a list of origins', isTextList),
  allowedHosts: kit.must('a list of hosts', isTextList),
  maxCredits: kit.notNegative,
  budget: kit.unchecked,
  holdRuns: kit.flag,
  maxBodyBytes: kit.positive,
  onError: kit.callback,
  clock: kit.clock,
}))()

const NO_SECRET = 'must have at least 32 bytes. Create one with `openssl rand -base64 32`'

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(kit.isText)
}

const PATH = /^(\/[\w.~-]+)*\/?$/

const BUDGET_OPTIONS = /* @__PURE__ */ ((): Checks<ProxyBudget> => ({
  credits: kit.needs('a number of credits, 0 or more', isCredits),
  totalCredits: kit.notNegative,
  windowMs: kit.positive,
  store: kit.having('a budget store', 'reserve', 'settle', 'balance'),
}))()

export type ResolvedBudget = ReturnType<typeof resolveBudget>

/** The options with every field named, checked and present. */
export type ResolvedProxyOptions = ReturnType<typeof resolveProxyOptions>

/** @throws ConfigurationError when an option is missing or wrong, or two do not go together */
export function resolveProxyOptions(given: ProxyOptions) {
  const options = kit.readOptions('createProxy', given, PROXY_OPTIONS)
  const { clock = systemClock, budget } = options
  const origins = (options.allowedOrigins ?? []).map(readOrigin)
  return {
    client: options.client,
    authorize: readAuthorize(options),
    models: [...new Set(options.models)],
    secret: options.secret ?? '',
    basePath: (options.basePath ?? '/api/modelrun').replace(/\/$/, ''),
    allowedOrigins: new Set(origins),
    hosts: {
      /** Each with or without a port. */
      names: new Set([...origins.map((origin) => new URL(origin).host), ...(options.allowedHosts ?? []).map(readHost)]),
      /** True when the proxy has no other name. */
      isComplete: options.allowedHosts !== undefined,
    },
    maxCredits: options.maxCredits ?? Number.POSITIVE_INFINITY,
    budget: budget && resolveBudget(budget, clock),
    holdRuns: options.holdRuns ?? true,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    /** Never throws: a log that fails must not cost the response to a run that was paid for. */
    onError: (error: unknown, context: ProxyErrorContext) =>
      kit.watch(
        () => (options.onError ?? logError)(error, context),
        () => {},
      ),
    clock,
  }
}

function readAuthorize({ authorize, dangerouslyAllowAnyone = false, budget }: ProxyOptions): Authorize {
  if (typeof authorize === 'function' && !dangerouslyAllowAnyone) return authorize
  if (authorize !== undefined) {
    throw wrong('Give `authorize`, a function, or `dangerouslyAllowAnyone: true`, and not both.')
  }
  if (!dangerouslyAllowAnyone) {
    throw wrong(
      'A proxy needs `authorize`, which gives the user of a request: `(request) => ({ user })`, or nothing when no user is signed in. Without it, every visitor could run models at your cost.',
    )
  }
  if (budget === undefined) {
    throw wrong(
      'With `dangerouslyAllowAnyone` everybody can spend your credits: say how many, as `budget: { credits: 100 }` a day.',
    )
  }
  return () => ({ user: 'anyone' })
}

/** Pages of apps and extensions have schemes of their own, such as `capacitor:` and `chrome-extension:`. */
function readOrigin(origin: string): string {
  const isWeb = /^https?:[^*]+$/.test(origin) && kit.toUrl(origin)?.origin === origin
  if (isWeb || /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[\w.-]+(:\d+)?$/.test(origin)) return origin
  throw wrongEntry(origin, '`allowedOrigins` must be one origin, like https://app.example.com, without path')
}

function readHost(host: string): string {
  const url = kit.toUrl(`https://${host}`)
  if (url !== undefined && !host.includes('*') && url.href === `https://${host.toLowerCase()}/`) return url.host
  throw wrongEntry(host, '`allowedHosts` must be one host, like app.example.com, without scheme')
}

function wrongEntry(entry: string, rule: string): kit.ConfigurationError {
  return wrong(`The entry ${JSON.stringify(entry)} of ${rule} and without wildcard.`)
}

function resolveBudget(given: ProxyBudget, clock: Clock) {
  const budget = kit.readOptions('budget', given, BUDGET_OPTIONS)
  return {
    credits: budget.credits,
    totalCredits: budget.totalCredits ?? Number.POSITIVE_INFINITY,
    windowMs: budget.windowMs ?? DAY_MS,
    store: budget.store ?? createMemoryBudgetStore(clock),
  }
}

/** True for a number of credits: 0 or more, and `Infinity` for no limit. */
export function isCredits(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

function logError(error: unknown, { method, path }: ProxyErrorContext): void {
  kit.printFailure('error', `the proxy failed in ${method} ${path}`, error)
}

function wrong(message: string): kit.ConfigurationError {
  return new kit.ConfigurationError({ message })
}
