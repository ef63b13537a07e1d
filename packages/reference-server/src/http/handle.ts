import type { Hono } from 'hono'
import { BusyPolls } from '../clock/busy-polls.ts'
import type { Answer } from '../faults/fault.ts'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { conclude } from './conclude.ts'
import { errorResponses } from './error-responses.ts'

/** What a transport knows about a request. */
export interface RequestContext {
  /** `fetch`: a client in this process. Time waits longer for clients of the others. */
  transport: 'fetch' | 'msw' | 'node'
  /** Address of the client. Default `127.0.0.1`, the machine itself; over a socket: unknown, and not trusted. */
  ip?: string | undefined
}

/** A socket that is closed already no longer tells who was on its other side. */
const UNKNOWN_ADDRESS = 'unknown'

/** Answers a request; never throws and never rejects. */
export type Handle = (request: Request, context: RequestContext) => Promise<Answer>

/** Makes the function that all transports call. While it works, virtual time stands still. */
export function createHandle(service: Service, app: Hono<AppEnv>): Handle {
  // An exploration lets time pass by steps of its own.
  const busyPolls = service.gates === undefined ? new BusyPolls(service.clock) : undefined
  return async (request, { transport, ip = transport === 'node' ? UNKNOWN_ADDRESS : '127.0.0.1' }) => {
    if (transport !== 'fetch') service.activity.expectRemoteClients()
    const work = service.activity.begin()
    const held = busyPolls?.admit(request, work)
    if (held !== undefined) await held
    const env: AppEnv['Bindings'] = { ip, isOverSocket: transport === 'node', work, trace: {} }
    const exchange = { request, env, at: service.clock.now(), beganAs: service.observer.journal.place() }
    try {
      return conclude(service, exchange, await answerTo(service, app, exchange))
    } catch (error) {
      return errorResponses.internal(`The reference server has a defect: ${String(error)}`)
    } finally {
      work.end()
    }
  }
}

interface Question {
  request: Request
  env: AppEnv['Bindings']
}

async function answerTo(service: Service, app: Hono<AppEnv>, { request, env }: Question): Promise<Answer> {
  const response = service.isClosed ? closedAnswer() : await app.fetch(request, env)
  return service.isClosed ? closedAnswer() : (env.struck?.answer ?? response)
}

function closedAnswer(): Response {
  return errorResponses.unavailable('The reference server was closed.')
}
