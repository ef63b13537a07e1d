import * as z from 'zod/mini'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Service } from '../service/service.ts'
import { createKey, createKeyOptionsSchema, limitKey } from '../service/tenants.ts'
import type { ControlResponses } from './responses.ts'
import { get, post, requireKey } from './route.ts'

const keySchema = z.strictObject({ key: z.string() })

// Members on the wire are in snake_case, options of TypeScript in camelCase.
const { allowIps: allow_ips, ...keyShape } = createKeyOptionsSchema.shape
const createKeySchema = z.strictObject({ ...keyShape, allow_ips })
const limitSchema = z.extend(z.omit(createKeySchema, { live: true }), { key: z.string() })

/** The routes that create, change and revoke API keys. `GET keys?key=` reads one. */
export const KEY_ROUTES = [
  post('createKey', 'keys').taking(createKeySchema, (service, { allow_ips: allowIps, ...options }) => {
    return { key: createKey(service, { ...options, allowIps }).key }
  }),
  get('readKey', 'keys', (service, { req }) =>
    settledKey(service, requireKey(service, req.query('key') ?? service.firstKey.key)),
  ),
  post('limitKey', 'keys/limit').taking(limitSchema, (service, { key, allow_ips: allowIps, ...limits }) => {
    const found = requireKey(service, key)
    limitKey(service, found, { ...limits, allowIps })
    return settledKey(service, found)
  }),
  post('revokeKey', 'keys/revoke').taking(keySchema, (service, body) => {
    const found = requireKey(service, body.key)
    found.isRevoked = true
    return settledKey(service, found)
  }),
]

function settledKey(service: Service, key: ApiKey) {
  service.jobs.settle()
  return keyJson(key)
}

export function keyJson(apiKey: ApiKey): ControlResponses['ApiKey'] {
  const { key, isLive, permissions, allowIps, isRevoked, account } = apiKey
  const { left, available } = account.credits
  return { key, live: isLive, permissions, allow_ips: allowIps, revoked: isRevoked, credits: { left, available } }
}
