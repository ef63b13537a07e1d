import type { Hono } from 'hono'
import { BusyPolls } from '../clock/busy-polls.ts'
import type { Job } from '../domain/job.ts'
import type { ResponseOrFault } from '../faults/fault.ts'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { type Exchange, finishRequest } from './finish-request.ts'

/** What a transport knows about a request. */
export interface RequestContext {
  /** `fetch`: a client in this process. An `auto` clock waits longer for clients of the others. */
  transport: 'fetch' | 'msw' | 'node'
  /** IP address of the client. Default `127.0.0.1`, this machine; over a socket: unknown, and not trusted. */
  ip?: string | undefined
  /** @internal Called with the job of a run as soon as it exists, also when the response is lost. */
  onJob?: ((job: Job) => void) | undefined
}

/** A socket that is closed already no longer knows the address of its client. */
const UNKNOWN_IP = 'unknown'

/** Handles a request. Never throws and never rejects. */
export type Handle = (request: Request, context: RequestContext) => Promise<ResponseOrFault>

/** Makes the function that all transports call. While it works, virtual time is paused. */
export function createHandle(service: Service, app: Hono<AppEnv>): Handle {
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
    const env: AppEnv['Bindings'] = { ip, isOverSocket: transport === 'node', work, handle, onJob }
    const exchange = { request, env, at: service.clock.now(), startPlace: service.observer.journal.place() }
    try {
      return finishRequest(service, exchange, await route(service, app, exchange))
    } catch (error) {
      return errorResponses.internal(`The reference server has a defect: ${String(error)}`)
    } finally {
      work.end()
    }
  }
  return handle
}

async function route(service: Service, app: Hono<AppEnv>, { request, env }: Exchange): Promise<ResponseOrFault> {
  const response = service.isClosed ? closedResponse() : await app.fetch(request, env)
  return service.isClosed ? closedResponse() : (env.injected?.result ?? response)
}

function closedResponse(): Response {
  return errorResponses.unavailable('The reference server was closed.')
}
