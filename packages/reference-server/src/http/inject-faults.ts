import { memberOf } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import type { FaultTarget } from '../domain/account-faults.ts'
import { type FaultEndpoint, type FaultKind, type FaultOptions, momentOf } from '../domain/fault-options.ts'
import type { AppContext } from '../routes/app-env.ts'
import type { Service } from '../service/service.ts'
import { errorResponse } from '../wire/error-responses.ts'
import { emptyReply, type Reply, type ReplyOrFault, textReply } from '../wire/messages.ts'
import { readJson } from '../wire/read-json-body.ts'
import { cutBody, slowBody } from './network-errors.ts'

interface FaultContext {
  service: Service
  context: AppContext
  fault: Readonly<FaultOptions>
  /** Lets the request do its work and returns the response. Call it once. */
  work(): Promise<Reply>
  /** The real response, when the fault comes after the work. */
  original: Reply | undefined
}

const DEFAULT_DELAY_MS = 5_000

const APPLY: Readonly<Record<FaultKind, (context: FaultContext) => ReplyOrFault | Promise<ReplyOrFault>>> = {
  reset: () => ({ fault: 'reset' }),
  'empty-reply': () => ({ fault: 'empty-reply' }),
  refused: () => ({ fault: 'refused' }),
  hang,
  'slow-headers': slowHeaders,
  'slow-body': corruptBody,
  'truncated-body': corruptBody,
  'malformed-json': ({ original }) => malformedJson(original),
  'rate-limit': ({ fault: { retry_after = 1 } }) =>
    retryLater('RATE_LIMITED', 'Too many requests. Send fewer, or wait as Retry-After says.', retry_after),
  'server-error': () => errorResponse('INTERNAL_ERROR', 'Something went wrong in the service.'),
  'bad-gateway': () => textReply(502, 'text/html; charset=utf-8', GATEWAY_PAGE),
  unavailable: ({ fault: { retry_after = null } }) =>
    retryLater('UNAVAILABLE', 'The service is not available at the moment.', retry_after),
  response: ({ fault }) => chosenResponse(fault),
}

/** Injects the fault of the account that fits the request, if there is one. HEAD requests get none: they have no body. */
export async function injectFault<Context extends AppContext>(
  service: Service,
  endpoint: FaultEndpoint,
  { context, work: serve }: { context: Context; work(context: Context): Promise<Reply> },
): Promise<ReplyOrFault> {
  const { env, req } = context
  const target = req.method === 'HEAD' ? undefined : await faultTarget(service, endpoint, context)
  const rule = target?.account.faults.take(target)
  if (rule === undefined) return serve(context)
  const { id, fault } = rule
  const { kind } = fault
  const work = () => serve(context)
  const original = momentOf(fault) === 'after' ? await work() : undefined
  const result = await APPLY[kind]({ service, context, fault, work, original })
  env.injected = { id, kind }
  return result
}

/** Selects the faults for a request; `undefined` when no fault can be meant. */
async function faultTarget(
  service: Service,
  endpoint: FaultEndpoint,
  context: AppContext,
): Promise<(FaultTarget & { account: Account }) | undefined> {
  const { req, env } = context
  const jobParameter = JOB_PARAMETERS[endpoint]
  const job = jobParameter === undefined ? undefined : service.jobs.find(req.param(jobParameter))
  const account = endpoint === 'getFile' ? job?.account : env.apiKey?.account
  // Also of a request that a fault, or its key, keeps from the work.
  if (job?.account === account) env.details = { job }
  if (account === undefined || account.faults.isEmpty) return undefined
  if (endpoint === 'runModel') {
    return { endpoint, account, model: req.param('model'), input: memberOf(await sentJson(context), 'input') }
  }
  if (job?.account === account) return { endpoint, account, model: job.model.id, input: job.input }
  return { endpoint, account, model: jobParameter === undefined ? req.params.id : undefined, input: undefined }
}

const JOB_PARAMETERS: Readonly<Partial<Record<FaultEndpoint, string>>> = {
  getFile: 'job',
  getJob: 'id',
  cancelJob: 'id',
}

/** The body of a run. The journal has it too, also when the fault comes before the work. */
async function sentJson({ req, env }: AppContext): Promise<unknown> {
  env.readBody ??= readJson(req.raw)
  const { requestBody, json } = await env.readBody
  env.details = { requestBody }
  return json
}

/** Ends when the client has gone, or with the server. */
async function hang({ service, context }: FaultContext): Promise<ReplyOrFault> {
  await pause(service, context, Number.POSITIVE_INFINITY)
  return { fault: 'reset' }
}

async function slowHeaders({ service, context, fault, work, original }: FaultContext): Promise<ReplyOrFault> {
  const hasPassed = await pause(service, context, fault.delay_ms ?? DEFAULT_DELAY_MS)
  // If the client disconnected, the work is skipped, and it gets no response.
  return hasPassed ? (original ?? work()) : { fault: 'reset' }
}

async function pause(service: Service, { env, req }: AppContext, ms: number): Promise<boolean> {
  env.work.park()
  const hasPassed = await service.pauses.pause(ms, req.raw.signal)
  env.work.resume()
  return hasPassed
}

function corruptBody({ service, context, fault, original = emptyReply(200) }: FaultContext): ReplyOrFault {
  const { kind, delay_ms: delayMs = DEFAULT_DELAY_MS } = fault
  const { body = '' } = original
  if (typeof body === 'function') return original // nothing that a fault can be for
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (kind !== 'truncated-body') {
    if (bytes.byteLength === 0) return original
    const options = { delayMs, pauses: service.pauses, signal: context.req.raw.signal }
    return { ...original, fault: 'slow-body', body: () => slowBody(bytes, options) }
  }
  // An empty body cannot be cut, so the response is dropped.
  if (bytes.byteLength === 0) return { fault: 'empty-reply' }
  const sent = bytes.subarray(0, Math.min(fault.bytes ?? Math.floor(bytes.byteLength / 2), bytes.byteLength - 1))
  return { ...original, fault: 'truncated-body', body: () => cutBody(sent) }
}

/** The web page of a proxy whose service does not respond. */
const GATEWAY_PAGE = `<!doctype html>
<html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The upstream server sent an invalid response.</p></body></html>
`

/** The start of an object, cut off. */
const BROKEN_JSON = '{"status":"comp'

/** A 200 whose body is not JSON: half of the real response, if there is one. */
function malformedJson(original: Reply | undefined): Reply {
  const text = typeof original?.body === 'string' ? original.body : ''
  const broken = text === '' ? BROKEN_JSON : text.slice(0, Math.ceil(text.length / 2))
  return textReply(200, 'application/json', broken)
}

function retryLater(code: 'RATE_LIMITED' | 'UNAVAILABLE', message: string, retryAfter: number | null): Reply {
  return errorResponse(code, message, retryAfter === null ? undefined : { 'retry-after': String(retryAfter) })
}

function chosenResponse({ status = 200, headers = {}, body }: FaultOptions): Reply {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json'
  const reply = body === undefined ? emptyReply(status) : textReply(status, type, text)
  for (const [name, value] of Object.entries(headers)) reply.headers[name.toLowerCase()] = value
  return reply
}
