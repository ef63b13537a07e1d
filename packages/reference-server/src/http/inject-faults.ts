import type { Context, MiddlewareHandler, Next } from 'hono'
import type { ResponseOrFault } from '../faults/fault.ts'
import type { FaultKind, FaultOptions } from '../faults/fault-options.ts'
import type { FaultEndpoint } from '../faults/fault-route.ts'
import { cutBody, slowBody } from '../faults/faulty-body.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { gatewayPage, malformedJson, retryLaterResponse } from './fault-responses.ts'
import { faultTarget } from './fault-target.ts'
import { statusLine } from './status-text.ts'

/** What a fault has to work with. */
interface FaultContext {
  service: Service
  context: AppContext
  fault: Readonly<FaultOptions>
  /** Lets the request do its work and gives the answer; once. */
  work(): Promise<Response>
  /** The real answer, when the fault strikes after the work. */
  original: Response | undefined
}

type ApplyFault = (scene: FaultContext) => ResponseOrFault | Promise<ResponseOrFault>

const DEFAULT_DELAY_MS = 5_000

const APPLY: Readonly<Record<FaultKind, ApplyFault>> = {
  reset: () => ({ kind: 'reset' }),
  'empty-reply': () => ({ kind: 'empty-reply' }),
  refused: () => ({ kind: 'refused' }),
  hang,
  'slow-headers': slowHeaders,
  'slow-body': corruptBody,
  'truncated-body': corruptBody,
  'malformed-json': ({ original }) => malformedJson(original),
  'rate-limit': ({ fault, service }) => retryLaterResponse(fault, service.clock.now()),
  'server-error': () => errorResponses.internal('Something went wrong in the service.'),
  'bad-gateway': gatewayPage,
  unavailable: ({ fault, service }) => retryLaterResponse(fault, service.clock.now()),
}

/** Kinds that need a real answer to spoil. */
const NEEDS_RESPONSE: readonly FaultKind[] = ['slow-body', 'truncated-body']

/** Lets a fault of the account strike, if there is one for the request. A HEAD has no body to spoil: none strikes it. */
export function injectFaults(service: Service, endpoint: FaultEndpoint): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const target = context.req.method === 'HEAD' ? undefined : faultTarget(service, endpoint, context)
    const injected = target && service.faults.of(target.account).take(target)
    if (injected === undefined) return next()
    const { id, fault } = injected
    const work = () => responseOf(context, next)
    const original = fault.when === 'after' || NEEDS_RESPONSE.includes(fault.kind) ? await work() : undefined
    const answer = await APPLY[fault.kind]({ service, context, fault, work, original })
    context.env.injected = { id, kind: fault.kind, answer }
    return original ?? new Response()
  }
}

async function responseOf(context: Context, next: Next): Promise<Response> {
  await next()
  return context.res
}

/** Ends when the client has gone, or with the server. */
async function hang({ service, context }: FaultContext): Promise<Response> {
  await pause(service, context, Number.POSITIVE_INFINITY)
  return errorResponses.unavailable('The request hung until now.')
}

async function slowHeaders({ service, context, fault, work, original }: FaultContext): Promise<Response> {
  const hasPassed = await pause(service, context, fault.delay_ms ?? DEFAULT_DELAY_MS)
  if (original !== undefined) return original
  // Who has gone does not see the answer, and a request that nobody waits for does not do its work late.
  return hasPassed ? work() : errorResponses.unavailable('The request was given up while it was slow.')
}

async function pause(service: Service, { env, req }: AppContext, ms: number): Promise<boolean> {
  env.work.park()
  const hasPassed = await service.pauses.pause(ms, req.raw.signal)
  env.work.resume()
  return hasPassed
}

async function corruptBody({ service, context, fault, original }: FaultContext): Promise<ResponseOrFault> {
  const { status, headers, bytes } = await readResponse(original)
  const { kind } = fault
  if (kind !== 'truncated-body') {
    if (bytes.byteLength === 0) return new Response(null, { ...statusLine(status), headers })
    const options = {
      delayMs: fault.delay_ms ?? DEFAULT_DELAY_MS,
      pauses: service.pauses,
      signal: context.req.raw.signal,
    }
    return { kind: 'slow-body', open: () => new Response(slowBody(bytes, options), { ...statusLine(status), headers }) }
  }
  // Of a body that is empty nothing can be cut off but the whole answer.
  if (bytes.byteLength === 0) return { kind: 'empty-reply' }
  const sent = bytes.subarray(0, Math.min(fault.bytes ?? Math.floor(bytes.byteLength / 2), bytes.byteLength - 1))
  return { kind, open: () => new Response(cutBody(sent), { ...statusLine(status), headers }) }
}

async function readResponse(answer = new Response()): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const headers = new Headers(answer.headers)
  if (bytes.byteLength > 0) headers.set('content-length', String(bytes.byteLength))
  return { status: answer.status, headers, bytes }
}
