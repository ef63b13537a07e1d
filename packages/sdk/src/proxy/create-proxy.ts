import type { Checks } from '@modelrun/kit'
import { checkEach, isText, must, needs, readOptions, rejectArgument, watch, withTimeLimit } from '@modelrun/kit'
import { createNodeListener, type NodeListener, rejectArguments } from '../shared/serving/node-listener.ts'
import { checkWebRequest } from '../shared/serving/read-body.ts'
import { type Balance, createSpending } from './budget/spending.ts'
import { createCatalog } from './catalog.ts'
import { allowOrigin, isAllowedPage, isKnownHost, preflight } from './check-origin.ts'
import { cancelJob, getJob } from './job-routes.ts'
import { findRoutes, type MatchedRoute } from './match-route.ts'
import { getModel, listModels } from './model-routes.ts'
import { fromRequest, fromServedRequest, type PageRequest } from './page-request.ts'
import type { ProxyCore, Route } from './proxy-core.ts'
import type { ProxyIdentity, ProxyOptions } from './proxy-options.ts'
import { bodyRules } from './read-run-request.ts'
import { rejection, unavailable } from './reply.ts'
import { isCredits, type ResolvedProxyOptions, resolveProxyOptions } from './resolve-proxy-options.ts'
import { runModel } from './run-route.ts'
import { createRunsUnderWay } from './runs-under-way.ts'
import { createJobSeals } from './sealed-jobs.ts'

/** Runs models for the pages of a website, with a key that stays on its server. */
export interface ModelRunProxy {
  /**
   * Responds to a request of a page: for every framework with web-standard requests.
   *
   * @throws ConfigurationError for what is not such a request; for one it never rejects
   * @param context What the framework passes. Its `waitUntil`, if it has one, keeps a serverless function alive when the
   *   page leaves while its run is under way.
   */
  handle(request: Request, context?: { waitUntil?(work: Promise<unknown>): void } | object): Promise<Response>
  /**
   * A listener for `node:http` and Express, also right when a body parser ran first.
   *
   * @throws ConfigurationError when it is called as the listener itself
   */
  node(): NodeListener
  /**
   * What a user has spent in the window of now, for a page that shows it. Without a budget, nothing of an endless one.
   *
   * @throws What the budget store throws
   */
  balance(identity: ProxyIdentity): Promise<Balance>
}

/**
 * Makes a proxy. It is closed unless `authorize` lets a user in, and has the routes of the service for the allowed models
 * alone.
 *
 * @example
 * const proxy = createProxy({
 *   client: new ModelRun(),
 *   models: ['aurora-image'],
 *   secret: process.env.MODELRUN_PROXY_SECRET,
 *   budget: { credits: 100 },
 *   authorize: async (request) => {
 *     const session = await readSession(request)
 *     return session && { user: session.userId }
 *   },
 * })
 * createServer(proxy.node()).listen(3000)
 *
 * @throws ConfigurationError when an option is missing or wrong, or two do not go together
 */
export function createProxy(proxyOptions: ProxyOptions): ModelRunProxy {
  const options = resolveProxyOptions(proxyOptions)
  const { basePath, clock, budget, client, models, secret } = options
  const rules = bodyRules(options.maxBodyBytes)
  const core: ProxyCore = {
    options,
    rules,
    catalog: createCatalog(client, models, clock),
    seals: createJobSeals(secret, basePath),
    runsUnderWay: createRunsUnderWay(),
    spending: budget && createSpending(budget, clock),
  }
  return {
    handle: async (request, context?: { waitUntil?(work: Promise<unknown>): void } | null) => {
      checkWebRequest('proxy.handle', request)
      const responding = serve(core, () => fromRequest(request, clock, rules))
      const { method, url } = request
      const wait = () => context?.waitUntil?.(responding)
      watch(wait, (error) => options.onError(error, { user: undefined, method, path: new URL(url).pathname }))
      return responding
    },
    node: (...given: unknown[]) => {
      rejectArguments('proxy.node', given)
      return createNodeListener((request) => serve(core, () => fromServedRequest(request)), { body: rules, clock })
    },
    balance: async (identity) => {
      checkEach('proxy.balance', { identity }, { identity: needs('{ user }', (value) => isText(Object(value).user)) })
      return (await core.spending?.balance(identity)) ?? { used: 0, limit: Number.POSITIVE_INFINITY }
    },
  }
}

/** Never rejects. */
async function serve(core: ProxyCore, read: () => PageRequest): Promise<Response> {
  const { allowedOrigins, onError } = core.options
  try {
    const request = read()
    const response = preflight(request, allowedOrigins) ?? (await admit(core, request))
    allowOrigin(response, request, allowedOrigins)
    return response
  } catch (error) {
    onError(error, { method: '', path: '' })
    return rejection(500, ['INTERNAL_ERROR', 'The proxy failed.'])
  }
}

/** The cheap checks first: for a request without a user, no body is read and no request is sent to the service. */
async function admit(core: ProxyCore, request: PageRequest): Promise<Response> {
  const { options } = core
  const { method, url } = request
  const { basePath } = options
  const routes = findRoutes(url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : '')
  const allow = Object.keys(routes).join(', ')
  if (allow === '') return rejection(404, ['NOT_FOUND', NOTHING_HERE])
  const route = Object.hasOwn(routes, method) ? routes[method] : undefined
  if (route === undefined) return rejection(405, ['METHOD_NOT_ALLOWED', `This path takes ${allow}.`], { allow })
  if (!isKnownHost(request, options)) {
    return rejection(403, ['HOST_NOT_ALLOWED', 'This host is not known here (see `allowedHosts`).'])
  }
  if (!isAllowedPage(request, options.allowedOrigins)) {
    return rejection(403, ['ORIGIN_NOT_ALLOWED', 'Pages of other origins cannot use this (see `allowedOrigins`).'])
  }
  const identity = await identify(options, request)
  if (identity instanceof Response) return identity
  const { user } = identity
  const report = (error: unknown) => options.onError(error, { method, path: url.pathname, user })
  if (route.name !== 'listModels' && url.searchParams.size > 0) {
    return rejection(400, ['VALIDATION_ERROR', 'This path takes no query.'])
  }
  return await ROUTES[route.name](core, { identity, report }, { id: route.id, request })
}

const ROUTES: Record<MatchedRoute['name'], Route> = { listModels, getModel, runModel, getJob, cancelJob }
const NOTHING_HERE = 'There is nothing here: the paths of this proxy start with its `basePath`, then /v1.'

const AUTHORIZE_LIMIT_MS = 10_000

/** The user of a request, or the response to a request without a user. A failure of `authorize` rejects the request. */
async function identify(options: ResolvedProxyOptions, request: PageRequest): Promise<ProxyIdentity | Response> {
  const { method, url, raw } = request
  try {
    const limits = { clock: options.clock, limitMs: AUTHORIZE_LIMIT_MS, name: '`authorize`' }
    const identity = await withTimeLimit(() => options.authorize(request.toRequest(), { raw }), limits)
    return checkIdentity(identity || { user: '' }, options) ?? rejection(401, ['UNAUTHORIZED', 'Sign in first.'])
  } catch (error) {
    options.onError(error, { method, path: url.pathname })
    return unavailable('It cannot be found out now who you are.')
  }
}

const IDENTITY: Checks<ProxyIdentity> = {
  user: must('a string, such as the id of an account', (user) => typeof user === 'string' || user === null),
  credits: must('a number of credits, 0 or more', isCredits),
}

/** What `authorize` returned. Undefined without a user. @throws ConfigurationError, also for a misspelt member */
function checkIdentity(returned: ProxyIdentity, { budget }: ResolvedProxyOptions): ProxyIdentity | undefined {
  const identity = readOptions('authorize', returned, IDENTITY)
  if (identity.credits !== undefined && budget === undefined) {
    rejectArgument('authorize', 'credits', 'needs the option `budget` of the proxy')
  }
  return identity.user ? identity : undefined
}
