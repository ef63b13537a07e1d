import * as z from 'zod/mini'
import type { ApiKey } from '../domain/api-keys.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import { keyLimitsSchema, limitKey } from '../service/limit-key.ts'
import type { Service } from '../service/service.ts'
import { createKey, createKeyOptionsSchema } from '../service/tenants.ts'
import { type ControlRoute, unknownKey } from './route.ts'

/** The routes that create, change and revoke API keys. `GET keys?key=` reads one. */
export const KEY_ROUTES = [
  { operationId: 'createKey', method: 'POST', name: 'keys', handler: createKeyRoute },
  { operationId: 'listKeys', method: 'GET', name: 'keys/list', handler: listKeysRoute },
  { operationId: 'readKey', method: 'GET', name: 'keys', handler: readKeyRoute },
  { operationId: 'limitKey', method: 'POST', name: 'keys/limit', handler: limitKeyRoute },
  { operationId: 'rotateKey', method: 'POST', name: 'keys/rotate', handler: rotateKeyRoute },
  { operationId: 'revokeKey', method: 'POST', name: 'keys/revoke', handler: revokeKeyRoute },
] as const satisfies readonly ControlRoute[]

export const keySchema = z.strictObject({ key: z.string() })

// Members on the wire are in snake_case, options of TypeScript in camelCase.
const { allowIps: allowIpsSchema, ...keyShape } = createKeyOptionsSchema.shape
export const createKeySchema = z.strictObject({ ...keyShape, allow_ips: allowIpsSchema })
const { allowIps: limitAllowIps, ...limitShape } = keyLimitsSchema.shape
export const limitSchema = z.strictObject({ key: z.string(), ...limitShape, allow_ips: limitAllowIps })

async function createKeyRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, createKeySchema)
  if (!body.ok) return body.errorResponse
  const { allow_ips: allowIps, ...options } = body.value
  const created = createKey(service, { ...options, allowIps })
  return created.ok ? jsonResponse(200, { key: created.value.key }) : errorResponses.invalid(created.message)
}

function readKeyRoute(service: Service, { req }: AppContext): Response {
  const found = service.keys.find(req.query('key') ?? service.firstKey.key)
  return found === undefined ? unknownKey() : describeKey(service, found)
}

async function limitKeyRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, limitSchema)
  if (!body.ok) return body.errorResponse
  const { key, allow_ips: allowIps, ...limits } = body.value
  const found = service.keys.find(key)
  if (found === undefined) return unknownKey()
  const limited = limitKey(service, found, { ...limits, allowIps })
  return limited.ok ? describeKey(service, found) : errorResponses.invalid(limited.message)
}

async function rotateKeyRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, keySchema)
  if (!body.ok) return body.errorResponse
  const old = service.keys.find(body.value.key)
  if (old === undefined) return unknownKey()
  if (old.isRevoked) return errorResponses.conflict('That API key is revoked, so it cannot be rotated.')
  return jsonResponse(200, { key: service.keys.rotate(old.key).key })
}

async function revokeKeyRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, keySchema)
  if (!body.ok) return body.errorResponse
  const found = service.keys.find(body.value.key)
  if (found === undefined) return unknownKey()
  found.isRevoked = true
  return describeKey(service, found)
}

function listKeysRoute(service: Service): Response {
  service.jobs.settle()
  return jsonResponse(200, { keys: service.keys.all().map(keyJson) })
}

function describeKey(service: Service, key: ApiKey): Response {
  service.jobs.settle()
  return jsonResponse(200, keyJson(key))
}

function keyJson({ key, isLive, permissions, allowIps, isRevoked, account }: ApiKey): object {
  const { left, available } = account.credits
  return {
    key,
    live: isLive,
    permissions,
    allow_ips: allowIps,
    revoked: isRevoked,
    credits: { left, available },
  }
}
