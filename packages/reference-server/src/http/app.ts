import { ROUTES, type RouteName } from '@modelrun/contract'
import { ConfigurationError } from '@modelrun/kit'
import { CONTROL_PREFIX } from '../control/route.ts'
import { createControlRoutes } from '../control/routes.ts'
import type { AppContext, KeyContext, RequestEnv, RouteHandler, RouteResult } from '../routes/app-env.ts'
import { findKey, missingPermission, unwantedQuery } from '../routes/checks.ts'
import { getFileRoute } from '../routes/files.ts'
import { cancelJobRoute, getJobRoute } from '../routes/jobs.ts'
import { getModelRoute, listModelsRoute } from '../routes/models.ts'
import { runModelRoute } from '../routes/run.ts'
import type { Service } from '../service/service.ts'
import { errorResponse, methodNotAllowed, unauthorized } from '../wire/error-responses.ts'
import { jsonReply, type Reply, type ReplyOrFault } from '../wire/messages.ts'
import { type Match, methodsOf, Router } from '../wire/router.ts'
import { injectFault } from './inject-faults.ts'

/** Serves a request that has been routed. Handlers set `details`, everything else is checked before. */
type Serve<Context> = (context: Context) => ReplyOrFault | Promise<ReplyOrFault>

interface Endpoint<Context> {
  /** For the journal. */
  name?: RequestEnv['route']
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
    context.env.route = endpointOf(found, context)?.name
    return rejectKey(service, context) ?? serveFound(context as KeyContext, found) // it has one
  }
  const serve: Serve<AppContext> = (context) => {
    const { path } = context.req
    if (isBelow(path, '/v1')) return serveService(context)
    const found = open.match(path)
    context.env.route = endpointOf(found, context)?.name
    return serveFound(context, found)
  }
  return async (context) => {
    try {
      const result = isBelow(context.req.path, CONTROL_PREFIX) ? await control(context) : await serve(context)
      const isHead = context.req.method === 'HEAD' && result.status !== undefined
      return isHead ? { ...result, body: undefined } : result
    } catch (error) {
      service.observer.warn(`error ${error instanceof Error ? (error.stack ?? error.message) : error}`)
      const isMisuse = error instanceof ConfigurationError
      return errorResponse(
        'INTERNAL_ERROR',
        isMisuse ? error.message : `The reference server has a defect: ${String(error)}`,
      )
    }
  }
}

function serviceRoutes(service: Service): Router<Endpoint<KeyContext>> {
  const router = new Router<Endpoint<KeyContext>>()
  const names = Object.keys(ROUTE_HANDLERS) as RouteName[] // the record's type says that these are its keys
  for (const name of names) {
    const route = ROUTES[name]
    const work = async (context: KeyContext) => {
      const rejected =
        missingPermission(route, context) ?? (name === 'listModels' ? undefined : unwantedQuery(service, context))
      return rejected ?? respond(context, await ROUTE_HANDLERS[name](service, context))
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
  context: Context,
  found: Match<Endpoint<Context>> | undefined,
): ReturnType<Serve<Context>> {
  const { req } = context
  if (found === undefined) return unknownPath(req)
  req.params = found.params
  const endpoint = endpointOf(found, context)
  return endpoint?.serve(context) ?? methodNotAllowed(req.method, methodsOf(found.methods))
}

function endpointOf<Value>(found: Match<Value> | undefined, { req: { method } }: AppContext): Value | undefined {
  return found?.methods.get(method === 'HEAD' ? 'GET' : method)
}

/** Gives the response to the transport, and what is known with it to the journal. */
function respond({ env }: AppContext, result: RouteResult): Reply {
  env.details = result
  return result.response
}

/** Rejects a request without a key that may be used (section 5). */
function rejectKey(service: Service, { env, req }: AppContext): Reply | undefined {
  const found = findKey(req.raw, service)
  if (typeof found === 'string') return unauthorized(found)
  env.apiKey = found
  if (found.allowsIp(env.ip)) return undefined
  const message = `This API key may not be used from the address ${env.ip}: it is not in the key's allowlist.`
  return errorResponse('FORBIDDEN', message)
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charAt(prefix.length) === '/')
}

function unknownPath({ path }: AppContext['req']): Reply {
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
  const message =
    `There is nothing at ${path.slice(0, 200)}. This is the modelrun reference server, which has ` +
    `${routes.join(', ')}; produced files are below /files, the control API below ${CONTROL_PREFIX}.`
  return errorResponse('NOT_FOUND', message)
}

const OPENAPI_PATH = '/openapi.json'

/** `GET /openapi.json`: the service as an OpenAPI 3.1 document, with the URL of this server. Needs no key. */
async function getOpenApiRoute({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<Reply> {
  // Loaded on demand: most servers live for one test.
  const { openApiDocument } = await import('@modelrun/contract/openapi')
  const servers = [{ url: baseUrl, description: 'The modelrun reference server' }]
  return jsonReply(200, { ...openApiDocument, servers })
}
