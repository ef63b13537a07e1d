import { ConfigurationError } from '@modelrun/kit'
import type * as z from 'zod/mini'
import type { Account } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { AppContext } from '../routes/app-env.ts'
import type { Service } from '../service/service.ts'
import { invalidMessage, parseShape } from '../shared/parse-shape.ts'
import { errorResponse, type ServerErrorCode } from '../wire/error-responses.ts'
import { jsonReply, type Reply } from '../wire/messages.ts'
import { EMPTY, readJson } from '../wire/read-json-body.ts'
import { unknownParameter } from '../wire/router.ts'

/** Prefix of the control API, by which programs in any language control the server. */
export const CONTROL_PREFIX = '/_reference'

export interface ControlRoute {
  /** Its name in `control-openapi.json`, which has the texts. */
  operationId: string
  method: 'GET' | 'POST' | 'DELETE'
  /** Path below the prefix, such as `keys` or `jobs/{id}`. */
  name: string
  body?: z.ZodMiniType | undefined
  /** Returns the JSON of the response. Throws a `RejectedCall`. */
  handler: Handler
}

type Handler = (service: Service, context: AppContext) => object | Promise<object>

/** The parameters of queries. One that a call ignored could remove or reset more than was meant. */
export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  readKey: ['key'],
  listFaults: ['key'],
  removeFaults: ['id', 'key'],
  listDeliveries: ['key'],
  readReport: ['key'],
  readActivity: ['epoch', 'after'],
  readJournal: ['key', 'kind', 'job_id'],
}

function withoutBody(method: ControlRoute['method']) {
  return (operationId: string, name: string, handler: Handler): ControlRoute => ({ operationId, method, name, handler })
}

export const get = /* @__PURE__ */ withoutBody('GET')
export const remove = /* @__PURE__ */ withoutBody('DELETE')

export function post(operationId: string, name: string) {
  return {
    /** A call whose handler gets the body that it takes, checked. */
    taking<Body>(
      body: z.ZodMiniType<Body>,
      handle: (service: Service, body: Body, context: AppContext) => object | Promise<object>,
    ): ControlRoute {
      const handler: Handler = async (service, context) => handle(service, await readBody(context, body), context)
      return { operationId, method: 'POST', name, body, handler }
    },
  }
}

/**
 * Reads the body of a call: JSON, whatever its content type, and `{}` when it is empty. So `curl -X POST` works with and
 * without `-d`. The journal gets it.
 *
 * @throws RejectedCall
 */
async function readBody<Value>({ req, env }: AppContext, schema: z.ZodMiniType<Value>): Promise<Value> {
  const { requestBody, json, problem } = await readJson(req.raw)
  env.details = { requestBody }
  if (typeof problem === 'object') throw new RejectedCall(problem)
  if (problem !== undefined && problem !== EMPTY) throw rejected('VALIDATION_ERROR', problem)
  const checked = parseShape(schema, problem === EMPTY ? {} : json)
  if (checked.ok) return checked.value
  throw rejected('VALIDATION_ERROR', invalidMessage('body', checked.message))
}

/** Thrown by the handler of a call that is not possible. */
export class RejectedCall extends Error {
  readonly response: Reply

  constructor(response: Reply) {
    super()
    this.response = response
  }
}

export async function respondTo(route: ControlRoute, service: Service, context: AppContext): Promise<Reply> {
  const unknown = unknownParameter(context.req, QUERIES[route.operationId] ?? [])
  if (unknown !== undefined) return errorResponse('VALIDATION_ERROR', `Invalid query: ${unknown}`)
  try {
    const result = await route.handler(service, context)
    return jsonReply(200, result)
  } catch (error) {
    if (error instanceof RejectedCall) return error.response
    throw error
  }
}

/** Makes of what a method of the server throws what a handler throws. */
export function rejectedBy(error: unknown, code: ServerErrorCode): RejectedCall {
  const isMisuse = error instanceof ConfigurationError
  return rejected(isMisuse ? 'VALIDATION_ERROR' : code, error instanceof Error ? error.message : String(error))
}

/** What a handler throws. */
export function rejected(code: ServerErrorCode, message: string): RejectedCall {
  return new RejectedCall(errorResponse(code, message))
}

/** @throws RejectedCall for a key that this server did not make */
export function requireKey(service: Service, key: string): ApiKey {
  const found = service.keys.find(key)
  if (found !== undefined) return found
  throw rejected('NOT_FOUND', `This server did not make that API key. POST ${CONTROL_PREFIX}/keys makes one.`)
}

/** The account that a call means: of the key that it names, else of the first key. */
export function accountOf(service: Service, key: string = service.firstKey.key): Account {
  return requireKey(service, key).account
}

/** The account of the key that a call names; `undefined` without a key, for all accounts. */
export function accountIfNamed(service: Service, key: string | undefined): Account | undefined {
  return key === undefined ? undefined : accountOf(service, key)
}
