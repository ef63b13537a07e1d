import * as z from 'zod/mini'
import { scriptedWebhookSchema } from '../domain/scripted-webhook.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Service } from '../service/service.ts'
import { deliveryJson } from './json.ts'
import { type ControlRoute, findAccount, unknownKey } from './route.ts'

/** How results are delivered, what was delivered, and the next delivery. */
export const WEBHOOK_ROUTES = [
  { operationId: 'setWebhooks', method: 'POST', name: 'webhooks', handler: setWebhooksRoute },
  { operationId: 'listDeliveries', method: 'GET', name: 'deliveries', handler: listDeliveriesRoute },
  { operationId: 'nextDelivery', method: 'POST', name: 'deliveries/next', handler: nextDeliveryRoute },
] as const satisfies readonly ControlRoute[]

export const howSchema = z.strictObject({ ...scriptedWebhookSchema.shape, key: z.optional(z.string()) })

/** Shorter than the time limit of most HTTP clients, so that a caller without `timeout_ms` gets a response. */
const DEFAULT_TIMEOUT_MS = 10_000
export const nextSchema = z.strictObject({
  job_id: z.optional(z.string()),
  timeout_ms: z.optional(z.int().check(z.nonnegative(), z.maximum(600_000))),
  key: z.optional(z.string()),
})

async function setWebhooksRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, howSchema)
  if (!body.ok) return body.errorResponse
  const { key, ...how } = body.value
  const account = findAccount(service, key)
  if (account === undefined) return unknownKey()
  account.webhook = how
  return jsonResponse(200, { webhook: how })
}

function listDeliveriesRoute(service: Service, { req }: AppContext): Response {
  const account = findAccount(service, req.query('key'))
  if (account === undefined) return unknownKey()
  return jsonResponse(200, { deliveries: service.deliveries.of(account).map(deliveryJson) })
}

/** Waits in real time, while the server's own passes, and no longer than the client does. */
async function nextDeliveryRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, nextSchema)
  if (!body.ok) return body.errorResponse
  const { key, job_id: jobId, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS } = body.value
  const account = findAccount(service, key)
  if (account === undefined) return unknownKey()
  env.work.park()
  try {
    const delivery = await service.deliveries.next({ account, jobId, timeoutMs, signal: req.raw.signal })
    return jsonResponse(200, { delivery: deliveryJson(delivery) })
  } catch (error) {
    return errorResponses.notFound(error instanceof Error ? error.message : String(error))
  } finally {
    env.work.resume()
  }
}
