import { BusyPolls } from '../clock/busy-polls.ts'
import type { Service } from '../service/service.ts'
import { type AppContext, type RequestEnv, RoutedRequest } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { finishRequest } from './finish-request.ts'
import type { Handle, IncomingRequest, Reply, ReplyOrFault } from './messages.ts'
import { decodeSegment, pathBelow, withModelAsSegment } from './router.ts'

/** A socket that is closed already no longer knows the address of its client. */
const UNKNOWN_IP = 'unknown'

/** Makes the function that all transports call. While it works, virtual time is paused. */
export function createHandle(service: Service, app: (context: AppContext) => Promise<ReplyOrFault>): Handle {
  // An exploration lets time pass by steps of its own.
  const busyPolls = service.breakpoints === undefined ? new BusyPolls(service.clock) : undefined
  const handle: Handle = async (
    request,
    { transport, onJob, ip = transport === 'node' ? UNKNOWN_IP : '127.0.0.1' },
  ) => {
    if (transport !== 'fetch') service.activity.expectRemoteClients()
    const work = service.activity.start()
    const held = busyPolls?.admit(request, work)
    if (held !== undefined) await held
    const at = service.clock.now()
    const startPlace = service.observer.journal.place()
    const env: RequestEnv = {
      ip,
      isOverSocket: transport === 'node',
      work,
      route: undefined,
      apiKey: undefined,
      details: undefined,
      injected: undefined,
      handle,
      onJob,
    }
    try {
      const context = { req: new RoutedRequest(request, routedPath(service, request)), env }
      const result = service.isClosed ? closedReply() : await app(context)
      return finishRequest(service, { request, env, at, startPlace }, service.isClosed ? closedReply() : result)
    } catch (error) {
      return errorResponses.internal(`The reference server has a defect: ${String(error)}`)
    } finally {
      work.end()
    }
  }
  return handle
}

/** The path of a model whose own id ends in `/run` looks like the path to run another. */
function routedPath({ baseUrl, models, options }: Service, { method, url }: IncomingRequest): string {
  const below = pathBelow(baseUrl, url)
  const path = options.assumptions.plainSlashInPath === 'served' ? withModelAsSegment(below) : below
  if (!path.endsWith('/run') || (method !== 'GET' && method !== 'HEAD')) return path
  const named = path.slice('/v1/models/'.length)
  return models.has(decodeSegment(named)) ? `/v1/models/${named.replace(/\/run$/, '%2Frun')}` : path
}

function closedReply(): Reply {
  return errorResponses.unavailable('The reference server was closed.')
}
