import { type Permission, ROUTES, type RouteName } from '@modelrun/contract'
import { Hono, type Next } from 'hono'
import { CONTROL_PREFIX } from '../control/route.ts'
import { createControlRoutes } from '../control/routes.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, AppEnv } from './app-env.ts'
import { authenticate } from './authenticate.ts'
import { errorResponses } from './error-responses.ts'
import { answerFile } from './file-route.ts'
import { GrowingRouter } from './growing-router.ts'
import { answerCancel, answerJob } from './job-routes.ts'
import { answerModel, answerModelList, answerModelNamedRun } from './model-routes.ts'
import { answerOpenApi, OPENAPI_PATH } from './openapi-route.ts'
import { passGates } from './pass-gates.ts'
import { refuseQuery } from './refuse-query.ts'
import { reject } from './reject.ts'
import type { RequestTrace } from './request-trace.ts'
import { requirePermission } from './require-permission.ts'
import { pathBelow, routePattern, routingPath } from './routing-path.ts'
import { answerRun } from './run-route.ts'
import { strikeFaults } from './strike-faults.ts'

type Answer = (service: Service, context: AppContext) => Response | Promise<Response>

const ANSWERS: Readonly<Record<RouteName, Answer>> = {
  listModels: answerModelList,
  getModel: answerModel,
  runModel: answerRun,
  getJob: answerJob,
  cancelJob: answerCancel,
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
  if (service.gates !== undefined) app.use('/v1/*', passGates(service.gates))
  app.use('/v1/*', authenticate(service))
  addRoutes(app, service)
  app.get(FILE_PATTERN, strikeFaults(service, 'getFile'), (context) => answerFile(service, context))
  app.all(FILE_PATTERN, (context) => errorResponses.methodNotAllowed(context.req.method, 'GET, HEAD'))
  app.get(OPENAPI_PATH, () => answerOpenApi(service))
  app.all(OPENAPI_PATH, (context) => errorResponses.methodNotAllowed(context.req.method, 'GET, HEAD'))
  app.route(CONTROL_PREFIX, createControlRoutes(service, controlToken))
  app.notFound((context) => unknownPath(service, context))
  app.onError((error) => {
    service.observer.warn(`error ${error.stack ?? error.message}`)
    return errorResponses.internal(`The reference server has a defect: ${error.message}`)
  })
  return app
}

/** Before everything else, so that a request which is refused is known by its route as well. */
function nameRoutes(app: Hono<AppEnv>): void {
  for (const [name, route] of Object.entries(ROUTES))
    app.on(route.method, routePattern(route), named(name as RouteName))
  app.get(FILE_PATTERN, named('getFile'))
  app.use(`${CONTROL_PREFIX}/*`, named('control'))
}

function named(route: RequestTrace['route']) {
  return ({ env }: AppContext, next: Next) => {
    env.trace.route = route
    return next()
  }
}

function addRoutes(app: Hono<AppEnv>, service: Service): void {
  const names = Object.keys(ANSWERS) as RouteName[] // the record's type says that these are its keys
  for (const name of names) {
    const route = ROUTES[name]
    const permit = requirePermission(route, permissionsFor(service, name))
    app.on(route.method, routePattern(route), strikeFaults(service, name), permit)
    if (name !== 'listModels') app.on(route.method, routePattern(route), refuseQuery(service))
    app.on(route.method, routePattern(route), (context) => ANSWERS[name](service, context))
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
  const answer = (context: AppContext, next: Next) => {
    const found = answerModelNamedRun(service, context)
    if (found !== undefined) context.env.trace.route = 'getModel'
    return found ?? next()
  }
  app.get(routePattern(ROUTES.runModel), permit, answer)
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

function unknownPath(service: Service, context: AppContext): Response {
  const routes = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
  return reject(
    { service, trace: context.env.trace },
    'unknownPath',
    `There is nothing at ${context.req.path.slice(0, 200)}. This is the modelrun reference server, which has ` +
      `${routes.join(', ')}; produced files are below /files, the control API below ${CONTROL_PREFIX}.`,
  )
}
