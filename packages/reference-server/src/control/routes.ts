import { toUrl } from '@modelrun/kit'
import * as z from 'zod/mini'
import { createIpAllowlist } from '../domain/ip-allowlist.ts'
import { scriptedOutcomeSchema } from '../domain/scripted-outcome.ts'
import type { AppContext, RequestEnv } from '../routes/app-env.ts'
import { wireModel } from '../routes/models.ts'
import type { Service } from '../service/service.ts'
import { scriptRuns } from '../service/tenants.ts'
import { errorResponse, methodNotAllowed } from '../wire/error-responses.ts'
import { type IncomingRequest, jsonReply, type Reply } from '../wire/messages.ts'
import { methodsOf, Router } from '../wire/router.ts'
import { ACTIVITY_ROUTES, REPORT_ROUTES } from './activity.ts'
import { CLOCK_ROUTES } from './clock.ts'
import { FAULT_ROUTES } from './faults.ts'
import { JOB_ROUTES } from './jobs.ts'
import { KEY_ROUTES } from './keys.ts'
import type { ControlRoute } from './route.ts'
import { accountIfNamed, accountOf, CONTROL_PREFIX, get, post, rejected, respondTo } from './route.ts'
import { RUN_ROUTES } from './runs.ts'
import { WEBHOOK_ROUTES } from './webhooks.ts'

/** Path of the OpenAPI document below the control API's prefix. */
const DOCUMENT_PATH = '/openapi.json'

/** The document at the URL of this server. Most servers live for one test and never load it. */
async function documentAt(baseUrl: string): Promise<object> {
  const { default: document } = await import('../../control-openapi.json', { with: { type: 'json' } })
  return { ...document, servers: [{ url: baseUrl, description: 'The modelrun reference server' }] }
}

/** The header that lets clients on other machines use the control API. */
export const TOKEN_HEADER = 'x-reference-token'

/** Headers that proxies and tunnels add, when they forward what came from elsewhere. */
const FORWARDING_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Creates the check of which clients may use the control API: clients with the token, and programs on this machine. A
 * request over a socket comes from this machine when the client has a loopback IP address, `Host` is a loopback name or the
 * host of the base URL, and no header says that it was forwarded. The IP address of the client alone is not enough: a page
 * whose host name an attacker points to 127.0.0.1 (DNS rebinding), a reverse proxy and a tunnel have a loopback address too.
 */
function createControlAccess(service: Pick<Service, 'baseUrl'>, token: string) {
  const isLoopback = createIpAllowlist(['127.0.0.0/8', '::1'])

  function isLocalName(hostname: string): boolean {
    const address = hostname.replace(/^\[|\]$/g, '')
    return hostname === 'localhost' || isLoopback(address) || hostname === new URL(service.baseUrl).hostname
  }

  function isOfThisMachine({ url, headers }: IncomingRequest): boolean {
    if (FORWARDING_HEADERS.some((name) => headers.has(name))) return false
    const host = hostnameOf(headers.get('host') ?? '')
    // An absolute request target names a host of its own.
    return isLocalName(new URL(url).hostname) && (host === undefined || isLocalName(host))
  }

  return (request: IncomingRequest, { ip, isOverSocket }: Pick<RequestEnv, 'ip' | 'isOverSocket'>): boolean => {
    if (request.headers.get(TOKEN_HEADER) === token) return true
    return isLoopback(ip) && (!isOverSocket || isOfThisMachine(request))
  }
}

/** The name of a `Host` header as URLs have it; `undefined` for a missing one. */
function hostnameOf(host: string): string | undefined {
  if (host === '') return undefined
  return toUrl(`http://${host}`)?.hostname ?? host
}

const scriptsSchema = z.strictObject({
  model: z.string(),
  outcomes: z.array(scriptedOutcomeSchema),
  key: z.optional(z.string()),
})
const resetSchema = z.strictObject({ key: z.optional(z.string()) })

export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ...KEY_ROUTES,
  post('addScript', 'scripts').taking(scriptsSchema, (service, { model: modelId, outcomes, key }) => {
    const checked = scriptRuns(service, { account: accountOf(service, key), modelId, outcomes })
    if (!checked.ok) throw rejected('VALIDATION_ERROR', checked.message)
    return { waiting: checked.value }
  }),
  ...CLOCK_ROUTES,
  ...FAULT_ROUTES,
  post('reset', 'reset').taking(resetSchema, (service, { key }) => {
    service.reset(accountIfNamed(service, key))
    return { reset: key === undefined ? 'all' : 'account' }
  }),
  get('readCatalog', 'models', ({ models }) => ({ models: [...models.values()].map(wireModel) })),
  ...JOB_ROUTES,
  ...WEBHOOK_ROUTES,
  ...REPORT_ROUTES,
  ...ACTIVITY_ROUTES,
  ...RUN_ROUTES,
]

const TOKEN_NEEDED =
  'From another machine, through a proxy, and at another host than localhost, 127.0.0.1, [::1] or that of the base URL, ' +
  `the control API needs the header ${TOKEN_HEADER}.`

type Serve = (context: AppContext) => Reply | Promise<Reply>

/** The control API, below `/_reference`. */
export function createControlRoutes(service: Service, token: string): Serve {
  const mayControl = createControlAccess(service, token)
  const router = new Router<Serve>()
  router.add('GET', `${CONTROL_PREFIX}${DOCUMENT_PATH}`, async () => jsonReply(200, await documentAt(service.baseUrl)))
  for (const route of CONTROL_ROUTES) {
    router.add(route.method, `${CONTROL_PREFIX}/${route.name}`, (context) => respondTo(route, service, context))
  }
  return ({ req, env }) => {
    env.route = 'control'
    if (!mayControl(req.raw, env)) return errorResponse('FORBIDDEN', TOKEN_NEEDED)
    const found = router.match(req.path)
    if (found === undefined) return unknownControlPath(req.path)
    req.params = found.params
    const serve = found.methods.get(req.method === 'HEAD' ? 'GET' : req.method)
    return serve?.({ req, env }) ?? methodNotAllowed(req.method, methodsOf(found.methods))
  }
}

function unknownControlPath(path: string): Reply {
  const paths = CONTROL_ROUTES.map(({ method, name }) => `${method} ${CONTROL_PREFIX}/${name}`)
  return errorResponse(
    'NOT_FOUND',
    `The control API has no path ${path}. It has: ${paths.join(', ')}. GET ${CONTROL_PREFIX}${DOCUMENT_PATH} says what they take.`,
  )
}
