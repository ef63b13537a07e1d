import { randomUUID } from 'node:crypto'
import type { ModelRun } from 'modelrun'
import { isClientError } from '../errors/report-error.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { type Check, ok, problem, skipped } from './check.ts'

/** A response dates from the second in which it was sent. */
const MOST_SKEW_MS = 5_000

/** The checks that need the service. None costs credits. */
export async function serviceChecks(client: ModelRun): Promise<Check[]> {
  const sentAt = Date.now()
  try {
    const { data, response } = await client.models.list({ limit: 1 }).withResponse()
    const call = ok('call', `The service lists ${data.total} models, in ${Date.now() - sentAt} ms.`)
    const checks = [
      call,
      ok('accepted', 'The service accepts the key.'),
      skewCheck(response.headers.get('date'), sentAt),
    ]
    return [...checks, ok('models:read', 'Allowed.'), ...(await permissionChecks(client))]
  } catch (error) {
    if (!isClientError(error)) throw error
    return [failedCall(error.status, cleanText(error.message))]
  }
}

function failedCall(status: number | undefined, message: string): Check {
  if (status === 401) return problem('accepted', `The service does not accept the key: ${message}`)
  if (status === 403) return problem('models:read', `The key may not list models. Give it models:read. ${message}`)
  return problem('call', message)
}

function skewCheck(date: string | null, sentAt: number): Check {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return skipped('clock', 'The service sends no date.')
  const skewMs = theirs - (sentAt + Date.now()) / 2
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return ok('clock', 'The clock agrees with that of the service.')
  const direction = skewMs > 0 ? 'behind' : 'ahead of'
  return problem(
    'clock',
    `The clock is ${Math.round(Math.abs(skewMs) / 1_000)} s ${direction} the service's. Set it, or turn NTP on.`,
  )
}

/** By a job that does not exist: a key that may ask gets 404. */
async function permissionChecks(client: ModelRun): Promise<Check[]> {
  const id = `modelrun-doctor-${randomUUID()}`
  return [
    await permissionCheck('jobs:read', () => client.jobs.get(id)),
    await permissionCheck('jobs:write', () => client.jobs.cancel(id)),
    skipped('models:run', 'Not checked: a run could cost credits.'),
  ]
}

async function permissionCheck(permission: string, call: () => PromiseLike<unknown>): Promise<Check> {
  try {
    await call()
    return ok(permission, 'Allowed.')
  } catch (error) {
    if (!isClientError(error)) throw error
    if (error.status === 404) return ok(permission, 'Allowed.')
    if (error.status === 403) return problem(permission, `Not allowed. Give the key ${permission}, or use another one.`)
    return skipped(permission, `Not known: ${cleanText(error.message)}`)
  }
}
