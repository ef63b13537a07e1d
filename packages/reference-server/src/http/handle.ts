import type { Hono } from 'hono'
import { type Answer, isFault } from '../faults/fault.ts'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { refusals } from './refusals.ts'

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
  return async (request, { transport, ip = transport === 'node' ? UNKNOWN_ADDRESS : '127.0.0.1' }) => {
    if (transport !== 'fetch') service.activity.expectRemoteClients()
    const work = service.activity.begin()
    const startedAt = service.clock.now()
    try {
      const env: AppEnv['Bindings'] = { ip, work }
      const response = service.isClosed ? closedAnswer() : await app.fetch(request, env)
      const answer = service.isClosed ? closedAnswer() : (env.struck?.answer ?? response)
      service.options.log(`${describe(request)} ${outcome(answer, env)} ${service.clock.now() - startedAt} ms`)
      return answer
    } catch (error) {
      return refusals.internal(`The reference server has a defect: ${String(error)}`)
    } finally {
      work.end()
    }
  }
}

/** Without the query: it may hold a key. */
function describe({ method, url }: Request): string {
  return `${method} ${new URL(url).pathname}`
}

/** The status, and the fault that took part in it. */
function outcome(answer: Answer, { struck }: AppEnv['Bindings']): string {
  const status = isFault(answer) ? [] : [answer.status]
  return [...status, ...(struck === undefined ? [] : [`fault ${struck.kind} (${struck.id})`])].join(' ')
}

function closedAnswer(): Response {
  return refusals.unavailable('The reference server was closed.')
}
