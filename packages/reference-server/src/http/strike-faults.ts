import type { Context, MiddlewareHandler, Next } from 'hono'
import type { Answer } from '../faults/fault.ts'
import type { FaultKind, FaultOptions } from '../faults/fault-options.ts'
import type { FaultEndpoint } from '../faults/fault-route.ts'
import { cutBody, slowBody } from '../faults/spoiled-body.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { gatewayPage, malformedJson, tellingToWait } from './fault-answers.ts'
import { faultTarget } from './fault-target.ts'
import { statusLine } from './status-text.ts'

/** What a fault has to work with. */
interface Scene {
  service: Service
  context: AppContext
  fault: Readonly<FaultOptions>
  /** Lets the request do its work and gives the answer; once. */
  work(): Promise<Response>
  /** The real answer, when the fault strikes after the work. */
  original: Response | undefined
}

type Enact = (scene: Scene) => Answer | Promise<Answer>

const DEFAULT_DELAY_MS = 5_000

const ENACT: Readonly<Record<FaultKind, Enact>> = {
  reset: () => ({ kind: 'reset' }),
  'empty-reply': () => ({ kind: 'empty-reply' }),
  refused: () => ({ kind: 'refused' }),
  hang,
  'slow-headers': slowHeaders,
  'slow-body': spoilBody,
  'truncated-body': spoilBody,
  'malformed-json': ({ original }) => malformedJson(original),
  'rate-limit': ({ fault, service }) => tellingToWait(fault, service.clock.now()),
  'server-error': () => errorResponses.internal('Something went wrong in the service.'),
  'bad-gateway': gatewayPage,
  unavailable: ({ fault, service }) => tellingToWait(fault, service.clock.now()),
}

/** Kinds that need a real answer to spoil. */
const SPOILS_ANSWER: readonly FaultKind[] = ['slow-body', 'truncated-body']

/** Lets a fault of the account strike, if there is one for the request. A HEAD has no body to spoil: none strikes it. */
export function strikeFaults(service: Service, endpoint: FaultEndpoint): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const target = context.req.method === 'HEAD' ? undefined : faultTarget(service, endpoint, context)
    const struck = target && service.faults.of(target.account).take(target)
    if (struck === undefined) return next()
    const { id, fault } = struck
    const work = () => answerOf(context, next)
    const original = fault.when === 'after' || SPOILS_ANSWER.includes(fault.kind) ? await work() : undefined
    const answer = await ENACT[fault.kind]({ service, context, fault, work, original })
    context.env.struck = { id, kind: fault.kind, answer }
    return original ?? new Response()
  }
}

async function answerOf(context: Context, next: Next): Promise<Response> {
  await next()
  return context.res
}

/** Ends when the client has gone, or with the server. */
async function hang({ service, context }: Scene): Promise<Response> {
  await pause(service, context, Number.POSITIVE_INFINITY)
  return errorResponses.unavailable('The request hung until now.')
}

async function slowHeaders({ service, context, fault, work, original }: Scene): Promise<Response> {
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

async function spoilBody({ service, context, fault, original }: Scene): Promise<Answer> {
  const { status, headers, bytes } = await readAnswer(original)
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

async function readAnswer(answer = new Response()): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const headers = new Headers(answer.headers)
  if (bytes.byteLength > 0) headers.set('content-length', String(bytes.byteLength))
  return { status: answer.status, headers, bytes }
}
