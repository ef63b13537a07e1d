import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { scriptedOutcomeSchema } from '../domain/scripted-outcome.ts'
import type { AppEnv } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { wireModel } from '../http/routes/models.ts'
import type { Service } from '../service/service.ts'
import { scriptRuns } from '../service/tenants.ts'
import { createControlAccess, TOKEN_HEADER } from './access.ts'
import { ACTIVITY_ROUTES } from './activity.ts'
import { listCalls } from './calls.ts'
import { CLOCK_ROUTES } from './clock.ts'
import { EVENT_ROUTES } from './events.ts'
import { FAULT_ROUTES } from './faults.ts'
import { FORK_ROUTES } from './forks.ts'
import { JOB_ACTION_ROUTES } from './job-actions.ts'
import { JOB_ROUTES } from './jobs.ts'
import { KEY_ROUTES } from './keys.ts'
import { DOCUMENT_PATH, documentAt, loadDocument } from './openapi.ts'
import { REPORT_ROUTES } from './reports.ts'
import { accountIfNamed, accountOf, CONTROL_PREFIX, get, post, requireValid, respondTo } from './route.ts'
import { RUN_ROUTES } from './runs.ts'
import { SNAPSHOT_ROUTES } from './snapshot.ts'
import { WEBHOOK_ROUTES } from './webhooks.ts'

const scriptsSchema = z.strictObject({
  model: z.string(),
  outcomes: z.array(scriptedOutcomeSchema),
  key: z.optional(z.string()),
})
const resetSchema = z.strictObject({ key: z.optional(z.string()) })

export const CONTROL_ROUTES = [
  ...KEY_ROUTES,
  post('addScript', 'scripts').taking(scriptsSchema, (service, { model: modelId, outcomes, key }) => {
    const account = accountOf(service, key)
    return { waiting: requireValid(scriptRuns(service, { account, modelId, outcomes })) }
  }),
  ...CLOCK_ROUTES,
  ...FAULT_ROUTES,
  post('reset', 'reset').taking(resetSchema, (service, { key }) => {
    service.reset(accountIfNamed(service, key))
    return { reset: key === undefined ? 'all' : 'account' }
  }),
  get('readCatalog', 'models', ({ models }) => ({ models: [...models.values()].map(wireModel) })),
  ...JOB_ROUTES,
  ...JOB_ACTION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...REPORT_ROUTES,
  ...SNAPSHOT_ROUTES,
  ...FORK_ROUTES,
  ...EVENT_ROUTES,
  ...ACTIVITY_ROUTES,
  ...RUN_ROUTES,
]

const TOKEN_NEEDED =
  'From another machine, through a proxy, and at another host than localhost, 127.0.0.1, [::1] or that of the base URL, ' +
  `the control API needs the header ${TOKEN_HEADER}.`

/** Name of a call. */
export type OperationId = (typeof CONTROL_ROUTES)[number]['operationId']

/** The control API; its paths are relative to `/_reference`. */
export function createControlRoutes(service: Service, token: string): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const mayControl = createControlAccess(service, token)
  app.use('*', async ({ req, env }, next) =>
    mayControl(req.raw, env) ? next() : errorResponses.forbidden(TOKEN_NEEDED),
  )
  app.get('/', async () => jsonResponse(200, { calls: listCalls(await loadDocument()) }))
  app.get(DOCUMENT_PATH, async () => jsonResponse(200, await documentAt(service.baseUrl)))
  for (const route of CONTROL_ROUTES) {
    app.on(route.method, patternOf(route.name), (context) => respondTo(route, service, context))
  }
  for (const { name } of CONTROL_ROUTES) {
    app.all(patternOf(name), (context) => errorResponses.methodNotAllowed(context.req.method, methodsOf(name)))
  }
  for (const path of ['/', DOCUMENT_PATH])
    app.all(path, ({ req }) => errorResponses.methodNotAllowed(req.method, 'GET, HEAD'))
  app.all('*', unknownControlPath)
  return app
}

/** The router's pattern of a path. */
function patternOf(name: string): string {
  return `/${name.replace(/\{(\w+)\}/g, ':$1')}`
}

function methodsOf(name: string): string {
  return CONTROL_ROUTES.filter((route) => route.name === name)
    .map(({ method }) => method)
    .join(', ')
}

function unknownControlPath(context: Context): Response {
  const paths = CONTROL_ROUTES.map(({ method, name }) => `${method} ${CONTROL_PREFIX}/${name}`)
  return errorResponses.notFound(
    `The control API has no path ${context.req.path}. It has: ${paths.join(', ')}. GET ${CONTROL_PREFIX} shows what they take.`,
  )
}
