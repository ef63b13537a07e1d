import { PERMISSIONS, type Permission } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { ApiKey } from '../domain/api-keys.ts'
import { createIpAllowlist } from '../domain/ip-allowlist.ts'
import { parseShape, type ShapeCheck } from '../parse-shape.ts'
import type { Service } from './service.ts'

/** What a key may do from now on (section 5); what is left out stays as it is. */
export interface KeyLimits {
  /** All permissions that the key has from now on. */
  permissions?: readonly Permission[] | undefined
  /** So many credits new runs of its account can spend, whatever was spent before; a reset gives as many again. */
  credits?: number | undefined
  /** IP addresses and networks (CIDR) that may use it; `null`: all. */
  allowIps?: readonly string[] | null | undefined
}

export const keyLimitsSchema = z.strictObject({
  permissions: z.optional(z.readonly(z.array(z.enum(PERMISSIONS)))),
  credits: z.optional(z.int().check(z.nonnegative())),
  allowIps: z.optional(z.nullable(z.readonly(z.array(z.string())))),
}) satisfies z.ZodMiniType<KeyLimits>

/** Changes a key; all of it or nothing. The message says what is wrong with the limits. */
export function limitKey(service: Service, key: ApiKey, limits: KeyLimits): ShapeCheck<ApiKey> {
  const checked = parseShape(keyLimitsSchema, limits)
  if (!checked.ok) return checked
  const { permissions, credits, allowIps } = checked.value
  try {
    if (allowIps !== undefined) restrict(key, allowIps)
  } catch (error) {
    return { ok: false, message: String(error instanceof Error ? error.message : error) }
  }
  if (permissions !== undefined) key.permissions = PERMISSIONS.filter((one) => permissions.includes(one))
  service.jobs.settle() // what has ended by now is no longer reserved
  if (credits !== undefined) key.account.credits.limit(credits)
  return { ok: true, value: key }
}

function restrict(key: ApiKey, allowIps: readonly string[] | null): void {
  key.allowsIp = allowIps === null ? () => true : createIpAllowlist(allowIps)
  key.allowIps = allowIps === null ? undefined : [...allowIps]
}
