import * as z from 'zod/mini'
import type { ApiKey } from '../domain/api-keys.ts'
import { keyLimitsSchema, limitKey } from '../service/limit-key.ts'
import type { Service } from '../service/service.ts'
import { mintKey, mintKeyOptionsSchema } from '../service/tenants.ts'
import type { AppContext } from './app-env.ts'
import { type ControlRoute, unknownKey } from './control-route.ts'
import { jsonResponse } from './json-response.ts'
import { readJsonBody } from './read-json-body.ts'
import { refusals } from './refusals.ts'

/** Making API keys, changing what they may do, and ending them. `GET keys?key=` tells about one. */
export const KEY_ROUTES: readonly ControlRoute[] = [
  { method: 'POST', name: 'keys', handler: answerMint },
  { method: 'GET', name: 'keys', handler: answerKey },
  { method: 'POST', name: 'keys/limit', handler: answerLimit },
  { method: 'POST', name: 'keys/rotate', handler: answerRotate },
  { method: 'POST', name: 'keys/revoke', handler: answerRevoke },
]

const keySchema = z.strictObject({ key: z.string() })
const limitSchema = z.strictObject({ key: z.string(), ...keyLimitsSchema.shape })

async function answerMint(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readJsonBody(req.raw, mintKeyOptionsSchema)
  if (!body.ok) return body.refusal
  const minted = mintKey(service, body.value)
  return minted.ok ? jsonResponse(200, { key: minted.value.key }) : refusals.invalid(minted.message)
}

function answerKey(service: Service, { req }: AppContext): Response {
  const found = service.keys.find(req.query('key') ?? service.firstKey.key)
  return found === undefined ? unknownKey() : describeKey(service, found)
}

async function answerLimit(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readJsonBody(req.raw, limitSchema)
  if (!body.ok) return body.refusal
  const { key, ...limits } = body.value
  const found = service.keys.find(key)
  if (found === undefined) return unknownKey()
  const limited = limitKey(service, found, limits)
  return limited.ok ? describeKey(service, found) : refusals.invalid(limited.message)
}

async function answerRotate(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readJsonBody(req.raw, keySchema)
  if (!body.ok) return body.refusal
  const old = service.keys.find(body.value.key)
  if (old === undefined) return unknownKey()
  if (old.isRevoked) return refusals.conflict('That API key is revoked, so it cannot be rotated.')
  return jsonResponse(200, { key: service.keys.rotate(old.key).key })
}

async function answerRevoke(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readJsonBody(req.raw, keySchema)
  if (!body.ok) return body.refusal
  const found = service.keys.find(body.value.key)
  if (found === undefined) return unknownKey()
  found.isRevoked = true
  return describeKey(service, found)
}

function describeKey(service: Service, { key, isLive, permissions, allowIps, isRevoked, account }: ApiKey): Response {
  service.jobs.settle()
  const { left, available } = account.credits
  return jsonResponse(200, {
    key,
    live: isLive,
    permissions,
    allowIps,
    revoked: isRevoked,
    credits: { left, available },
  })
}
