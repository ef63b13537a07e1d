import { PERMISSIONS, type Permission } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { Account } from '../domain/account.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import { readInputCondition } from '../domain/input-condition.ts'
import { allowlistSchema, createIpAllowlist } from '../domain/ip-allowlist.ts'
import { unknownModelText } from '../domain/list-models.ts'
import { hasOneEnd, type ScriptedOutcome, scriptedOutcomeSchema } from '../domain/scripted-outcome.ts'
import { parseCopy, type ShapeCheck } from '../shared/parse-shape.ts'
import type { Service } from './service.ts'

/** What a new API key is and may do (section 5). */
export interface CreateKeyOptions {
  /** A live key, `sk_live_…`, instead of a test key, `sk_test_…`. Default `false`. */
  live?: boolean | undefined
  /** Default: all. */
  permissions?: readonly Permission[] | undefined
  /** Credits of its account. Default: the server's option `credits`. */
  credits?: number | undefined
  /** IP addresses and networks (CIDR) that may use it. Default: all. */
  allowIps?: readonly string[] | undefined
}

export const createKeyOptionsSchema = z.strictObject({
  live: z.optional(z.boolean()),
  permissions: z.optional(z.readonly(z.array(z.enum(PERMISSIONS)))),
  credits: z.optional(z.int().check(z.nonnegative())),
  allowIps: z.optional(allowlistSchema),
}) satisfies z.ZodMiniType<CreateKeyOptions>

export function createKey(service: Service, options: CreateKeyOptions): ApiKey {
  const { live = false, permissions = PERMISSIONS, credits = service.options.credits, allowIps } = options
  return service.keys.create({ isLive: live, permissions, credits, allowIps })
}

const outcomesSchema = z.array(scriptedOutcomeSchema.check(hasOneEnd))

/** Says what the next runs of a model do. The value is how many outcomes wait now. */
export function scriptRuns(
  service: Service,
  { account, modelId, outcomes }: { account: Account; modelId: string; outcomes: readonly ScriptedOutcome[] },
): ShapeCheck<number> {
  if (!service.models.has(modelId)) {
    return { ok: false, message: unknownModelText(modelId, service.models) }
  }
  const checked = parseOutcomes(outcomes)
  return checked.ok ? { ok: true, value: account.addScript(modelId, checked.value) } : checked
}

function parseOutcomes(outcomes: unknown): ShapeCheck<ScriptedOutcome[]> {
  const parts = Array.isArray(outcomes) ? outcomes.map(readInputCondition) : undefined
  const checked = parseCopy(outcomesSchema, parts?.map(({ json }) => json) ?? outcomes)
  if (!checked.ok) return checked
  return { ok: true, value: checked.value.map((outcome, index) => parts?.[index]?.putBack(outcome) ?? outcome) }
}

/** What a key may do from now on (section 5). Its `credits` are what new runs of its account can spend; a reset gives as many again. */
export type KeyLimits = Omit<CreateKeyOptions, 'live'>

export const keyLimitsSchema = z.omit(createKeyOptionsSchema, { live: true })

export function limitKey(service: Service, key: ApiKey, { permissions, credits, allowIps }: KeyLimits): void {
  if (allowIps !== undefined) {
    key.allowsIp = createIpAllowlist(allowIps)
    key.allowIps = [...allowIps]
  }
  if (permissions !== undefined) key.permissions = PERMISSIONS.filter((one) => permissions.includes(one))
  service.jobs.settle() // what has ended by now is no longer reserved
  if (credits !== undefined) key.account.credits.limit(credits)
}
