import { type Permission, ROUTES, type RouteName } from '@modelrun/contract'
import { Hono, type Next } from 'hono'
import { CONTROL_PREFIX } from '../control/route.ts'
import { createControlRoutes } from '../control/routes.ts'
import type { Service } from '../service/service.ts'
import { type AppContext, type AppEnv, type RouteHandler, respond } from './app-env.ts'
import { errorResponses, reject } from './error-responses.ts'
import { GrowingRouter } from './growing-router.ts'
import { injectFaults } from './inject-faults.ts'
import { authenticate, passBreakpoints, rejectQuery, requirePermission } from './middleware.ts'
import type { RequestTrace, RouteResult } from './route-result.ts'
import { getFileRoute } from './routes/files.ts'
import { cancelJobRoute, getJobRoute } from './routes/jobs.ts'
import { getModelNamedRunRoute, getModelRoute, listModelsRoute } from './routes/models.ts'
import { getOpenApiRoute, OPENAPI_PATH } from './routes/openapi.ts'
import { runModelRoute } from './routes/run.ts'
import { pathBelow, routePattern, routingPath } from './routing-path.ts'

const ROUTE_HANDLERS: Readonly<Record<RouteName, RouteHandler>> = {
  listModels: listModelsRoute,
  getModel: getModelRoute,
  runModel: runModelRoute,
  getJob: getJobRoute,
  cancelJob: cancelJobRoute,
}

const FILE_PATTERN = '/files/:job/:name'

/** The whole service over HTTP, as a function from request to response. */
export function createApp(service: Service, controlToken: string): Hono<AppEnv> {
  const pathOf = service.options.assumptions.plainSlashInPath === 'served' ? routingPath : pathBelow
  const app = new Hono<AppEnv>({
    router: new GrowingRouter(),
    getPath: (request) => pathOf(service.baseUrl, request.url),
  })
  nameRoutes(app)
  if (service.breakpoints !== undefined) app.use('/v1/*', passBreakpoints(service.breakpoints))
  app.use('/v1/*', authenticate(service))
  addRoutes(app, service)
  app.get(FILE_PATTERN, injectFaults(service, 'getFile'), (context) => respond(context, getFileRoute(service, context)))
  app.all(FILE_PATTERN, (context) => errorResponses.methodNotAllowed(context.req.method, 'GET, HEAD'))
  app.get(OPENAPI_PATH, () => getOpenApiRoute(service))
  app.all(OPENAPI_PATH, (context) => errorResponses.methodNotAllowed(context.req.method, 'GET, HEAD'))
  app.route(CONTROL_PREFIX, createControlRoutes(service, controlToken))
  app.notFound((context) => respond(context, unknownPath(service, context)))
  app.onError((error) => {
    service.observer.warn(`error ${error.stack ?? error.message}`)
    return errorResponses.internal(`The reference server has a defect: ${error.message}`)
  })
  return app
}

/** Comes before everything else, so that the route of a rejected request is known as well. */
function nameRoutes(app: Hono<AppEnv>): void {
  for (const [name, route] of Object.entries(ROUTES))
    app.on(route.method, routePattern(route), named(name as RouteName))
  app.get(FILE_PATTERN, named('getFile'))
  app.use(`${CONTROL_PREFIX}/*`, named('control'))
}

function named(route: RequestTrace['route']) {
  return ({ env }: AppContext, next: Next) => {
    env.route = route
    return next()
  }
}

function addRoutes(app: Hono<AppEnv>, service: Service): void {
  const names = Object.keys(ROUTE_HANDLERS) as RouteName[] // the record's type says that these are its keys
  for (const name of names) {
    const route = ROUTES[name]
    const permit = requirePermission(route, permissionsFor(service, name))
    app.on(route.method, routePattern(route), injectFaults(service, name), permit)
    if (name !== 'listModels') app.on(route.method, routePattern(route), rejectQuery(service))
    app.on(route.method, routePattern(route), async (context) =>
      respond(context, await ROUTE_HANDLERS[name](service, context)),
    )
  }
  addModelNamedRun(app, service)
  for (const name of names) {
    const pattern = routePattern(ROUTES[name])
    app.all(pattern, (context) => errorResponses.methodNotAllowed(context.req.method, methodsOf(pattern)))
  }
}

/** The path of a model whose own id ends in `/run` looks like the path to run another. */
function addModelNamedRun(app: Hono<AppEnv>, service: Service): void {
  const permit = requirePermission(ROUTES.getModel, permissionsFor(service, 'getModel'))
  const handle = (context: AppContext, next: Next) => {
    const found = getModelNamedRunRoute(service, context)
    if (found === undefined) return next()
    context.env.route = 'getModel'
    return respond(context, found)
  }
  app.get(routePattern(ROUTES.runModel), permit, handle)
}

function permissionsFor({ options }: Service, name: RouteName): Permission[] {
  const needsMore = name === 'runModel' && options.assumptions.runNeedsJobsWrite
  return [ROUTES[name].permission, ...(needsMore ? ['jobs:write' as const] : [])]
}

function methodsOf(pattern: string): string {
  const methods = Object.values(ROUTES)
    .filter((route) => routePattern(route) === pattern)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return methods.join(', ')
}

function unknownPath(service: Service, context: AppContext): RouteResult {
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
  const message =
    `There is nothing at ${context.req.path.slice(0, 200)}. This is the modelrun reference server, which has ` +
    `${routes.join(', ')}; produced files are below /files, the control API below ${CONTROL_PREFIX}.`
  return reject(service, 'unknownPath', { message })
}
