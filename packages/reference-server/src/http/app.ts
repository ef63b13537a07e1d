import { ROUTES, type RouteName } from '@modelrun/contract'
import { CONTROL_PREFIX } from '../control/route.ts'
import { createControlRoutes } from '../control/routes.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, KeyContext, RequestTrace, RouteHandler, RouteResult } from './app-env.ts'
import { closestRoute } from './closest-route.ts'
import { errorResponses, reject, withErrorMembers } from './error-responses.ts'
import { injectFault } from './inject-faults.ts'
import { jsonReply, type Reply, type ReplyOrFault } from './messages.ts'
import { findKey, missingPermission, permissionsFor, unwantedQuery } from './permissions.ts'
import { type Match, methodsOf, Router } from './router.ts'
import { getFileRoute } from './routes/files.ts'
import { cancelJobRoute, getJobRoute } from './routes/jobs.ts'
import { getModelRoute, listModelsRoute } from './routes/models.ts'
import { runModelRoute } from './routes/run.ts'

/** Serves a request that has been routed. Handlers set `details`, everything else is checked before. */
type Serve<Context> = (context: Context) => ReplyOrFault | Promise<ReplyOrFault>

interface Endpoint<Context> {
  /** For the journal. */
  name?: RequestTrace['route']
  serve: Serve<Context>
}

const ROUTE_HANDLERS: Readonly<Record<RouteName, RouteHandler>> = {
  listModels: listModelsRoute,
  getModel: getModelRoute,
  runModel: runModelRoute,
  getJob: getJobRoute,
  cancelJob: cancelJobRoute,
}

/** The whole service over HTTP, as a function from request to response. */
export function createApp(service: Service, controlToken: string): (context: AppContext) => Promise<ReplyOrFault> {
  const control = createControlRoutes(service, controlToken)
  const routes = serviceRoutes(service)
  const open = openRoutes(service)
  const serveService = (context: AppContext) => {
    const found = routes.match(context.req.path)
    // Before the key is checked, so that the route of a rejected request is known as well.
    context.env.route = endpointOf(service, found, context)?.name
    return rejectKey(service, context, found) ?? serveFound(service, context as KeyContext, found) // it has one
  }
  const serve: Serve<AppContext> = (context) => {
    const { path } = context.req
    if (isBelow(path, '/v1')) return serveService(context)
    const found = open.match(path)
    context.env.route = endpointOf(service, found, context)?.name
    return serveFound(service, context, found)
  }
  return async (context) => {
    try {
      const result = isBelow(context.req.path, CONTROL_PREFIX)
        ? await control(context)
        : withErrorMembers(service, context.env, await serve(context))
      const isHead = context.req.method === 'HEAD' && result.status !== undefined
      return isHead ? { ...result, body: undefined } : result
    } catch (error) {
      service.observer.warn(`error ${error instanceof Error ? (error.stack ?? error.message) : error}`)
      return errorResponses.internal(`The reference server has a defect: ${String(error)}`)
    }
  }
}

function serviceRoutes(service: Service): Router<Endpoint<KeyContext>> {
  const router = new Router<Endpoint<KeyContext>>()
  const names = Object.keys(ROUTE_HANDLERS) as RouteName[] // the record's type says that these are its keys
  for (const name of names) {
    const route = ROUTES[name]
    const permissions = permissionsFor(service, name)
    const work = async (context: KeyContext) => {
      const lacking = () => missingPermission(route, permissions, context)
      const hasQuery = name !== 'listModels' && lacking() === undefined
      const query = hasQuery ? unwantedQuery(service, context) : undefined
      return respond(context, query ?? (await ROUTE_HANDLERS[name](service, context, lacking)))
    }
    router.add(route.method, route.path, { name, serve: (context) => injectFault(service, name, { context, work }) })
  }
  return router
}

/** What needs no key. */
function openRoutes(service: Service): Router<Endpoint<AppContext>> {
  const router = new Router<Endpoint<AppContext>>()
  const work = async (context: AppContext) => respond(context, getFileRoute(service, context))
  router.add('GET', '/files/{job}/{name}', {
    name: 'getFile',
    serve: (context) => injectFault(service, 'getFile', { context, work }),
  })
  router.add('GET', OPENAPI_PATH, { serve: () => getOpenApiRoute(service) })
  return router
}

function serveFound<Context extends AppContext>(
  service: Service,
  context: Context,
  found: Match<Endpoint<Context>> | undefined,
): ReturnType<Serve<Context>> {
  const { req } = context
  if (found === undefined) return respond(context, unknownPath(service, req))
  req.params = found.params
  return endpointOf(service, found, context)?.serve(context) ?? respond(context, wrongMethod(service, context, found))
}

function endpointOf<Value>(
  { options }: Service,
  found: Match<Value> | undefined,
  { req: { method, path } }: AppContext,
): Value | undefined {
  const isRead = method === 'HEAD' && (options.assumptions.headRequests === 'served' || !isBelow(path, '/v1'))
  return found?.methods.get(isRead ? 'GET' : method)
}

/** Gives the response to the transport, and what is known with it to the journal. */
function respond({ env }: AppContext, result: RouteResult): Reply {
  env.details = result
  return result.response
}

/** Rejects a request without a key that may be used (section 5). */
function rejectKey(
  service: Service,
  context: AppContext,
  route: Match<Endpoint<KeyContext>> | undefined,
): Reply | undefined {
  const { env, req } = context
  const found = findKey(req.raw, service)
  if (typeof found === 'string') return rejectWithoutKey(service, context, route) ?? errorResponses.unauthorized(found)
  env.apiKey = found
  if (found.allowsIp(env.ip)) return undefined
  const message = `This API key may not be used from the address ${env.ip}: it is not in the key's allowlist.`
  return respond(context, reject(service, 'ipOutsideAllowlist', { message }))
}

/** Where a service routes a request before its key is checked. */
function rejectWithoutKey(
  service: Service,
  context: AppContext,
  route: Match<Endpoint<KeyContext>> | undefined,
): Reply | undefined {
  const { status } = service.options.assumptions.rejections.unknownPathWithoutKey
  if (status === 401 || endpointOf(service, route, context) !== undefined) return undefined
  if (route !== undefined) return respond(context, wrongMethod(service, context, route))
  return respond(context, unknownPath(service, context.req, 'unknownPathWithoutKey'))
}

function wrongMethod(
  service: Service,
  { req: { method, path } }: AppContext,
  { methods }: Match<unknown>,
): RouteResult {
  const isWithoutHead = service.options.assumptions.headRequests === 'rejected' && isBelow(path, '/v1')
  const allow = isWithoutHead ? [...methods.keys()].join(', ') : methodsOf(methods)
  const { response, ...details } = reject(service, 'wrongMethod', {
    message: `This path does not take ${method}. It takes: ${allow}.`,
  })
  return {
    ...details,
    response: response.status === 405 ? { ...response, headers: { ...response.headers, allow } } : response,
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charAt(prefix.length) === '/')
}

function unknownPath(
  service: Service,
  { method, path }: AppContext['req'],
  kind: 'unknownPath' | 'unknownPathWithoutKey' = 'unknownPath',
): RouteResult {
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
  const meant = closestRoute(method, path)
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`
  const message =
    `There is nothing at ${path.slice(0, 200)}.${advice} This is the modelrun reference server, which has ` +
    `${routes.join(', ')}; produced files are below /files, the control API below ${CONTROL_PREFIX}.`
  return reject(service, kind, { message })
}

const OPENAPI_PATH = '/openapi.json'

/** `GET /openapi.json`: the service as an OpenAPI 3.1 document, with the URL of this server. Needs no key. */
async function getOpenApiRoute({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<Reply> {
  // Loaded on demand: most servers live for one test.
  const { openApiDocument } = await import('@modelrun/contract/openapi')
  const servers = [{ url: baseUrl, description: 'The modelrun reference server' }]
  return jsonReply(200, { ...openApiDocument, servers })
}
