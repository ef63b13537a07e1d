import * as z from 'zod/mini'
import type { ApiKey } from '../domain/api-keys.ts'
import { keyLimitsSchema, limitKey } from '../service/limit-key.ts'
import type { Service } from '../service/service.ts'
import { mintKey, mintKeyOptionsSchema } from '../service/tenants.ts'
import type { AppContext } from './app-env.ts'
import { type ControlRoute, unknownKey } from './control-route.ts'
import { jsonResponse } from './json-response.ts'
import { readControlBody } from './read-json-body.ts'
import { refusals } from './refusals.ts'

const KEY = '{ key, live, permissions, allow_ips?, revoked, credits: { left, available } }'

/** Making API keys, changing what they may do, and ending them. `GET keys?key=` tells about one. */
export const KEY_ROUTES: readonly ControlRoute[] = [
  {
    method: 'POST',
    name: 'keys',
    takes: '{ permissions?, credits?, allow_ips?, live? }',
    gives: '{ key }',
    note: 'a key with an account of its own',
    handler: answerMint,
  },
  { method: 'GET', name: 'keys', takes: '?key=', gives: KEY, handler: answerKey },
  {
    method: 'POST',
    name: 'keys/limit',
    takes: '{ key, permissions?, credits?, allow_ips? }',
    gives: KEY,
    note: 'allow_ips: null lifts the limit',
    handler: answerLimit,
  },
  {
    method: 'POST',
    name: 'keys/rotate',
    takes: '{ key }',
    gives: '{ key }',
    note: 'the new key',
    handler: answerRotate,
  },
  { method: 'POST', name: 'keys/revoke', takes: '{ key }', gives: KEY, handler: answerRevoke },
]

const keySchema = z.strictObject({ key: z.string() })

// Members on the wire are in snake_case, options of TypeScript in camelCase.
const { allowIps: mintAllowIps, ...mintShape } = mintKeyOptionsSchema.shape
const mintSchema = z.strictObject({ ...mintShape, allow_ips: mintAllowIps })
const { allowIps: limitAllowIps, ...limitShape } = keyLimitsSchema.shape
const limitSchema = z.strictObject({ key: z.string(), ...limitShape, allow_ips: limitAllowIps })

async function answerMint(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readControlBody(req.raw, mintSchema)
  if (!body.ok) return body.refusal
  const { allow_ips: allowIps, ...options } = body.value
  const minted = mintKey(service, { ...options, allowIps })
  return minted.ok ? jsonResponse(200, { key: minted.value.key }) : refusals.invalid(minted.message)
}

function answerKey(service: Service, { req }: AppContext): Response {
  const found = service.keys.find(req.query('key') ?? service.firstKey.key)
  return found === undefined ? unknownKey() : describeKey(service, found)
}

async function answerLimit(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readControlBody(req.raw, limitSchema)
  if (!body.ok) return body.refusal
  const { key, allow_ips: allowIps, ...limits } = body.value
  const found = service.keys.find(key)
  if (found === undefined) return unknownKey()
  const limited = limitKey(service, found, { ...limits, allowIps })
  return limited.ok ? describeKey(service, found) : refusals.invalid(limited.message)
}

async function answerRotate(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readControlBody(req.raw, keySchema)
  if (!body.ok) return body.refusal
  const old = service.keys.find(body.value.key)
  if (old === undefined) return unknownKey()
  if (old.isRevoked) return refusals.conflict('That API key is revoked, so it cannot be rotated.')
  return jsonResponse(200, { key: service.keys.rotate(old.key).key })
}

async function answerRevoke(service: Service, { req }: AppContext): Promise<Response> {
  const body = await readControlBody(req.raw, keySchema)
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
    allow_ips: allowIps,
    revoked: isRevoked,
    credits: { left, available },
  })
}
