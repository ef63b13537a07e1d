import * as z from 'zod/mini'
import { scriptedWebhookSchema } from '../domain/scripted-outcome.ts'
import { accountOf, get, post, rejectedBy } from './route.ts'
import { toWire } from './wire-names.ts'

const howSchema = z.strictObject({ ...scriptedWebhookSchema.shape, key: z.optional(z.string()) })

/** Shorter than the time limit of most HTTP clients, so that a caller without `timeout_ms` gets a response. */
const DEFAULT_TIMEOUT_MS = 10_000
const nextSchema = z.strictObject({
  job_id: z.optional(z.string()),
  timeout_ms: z.optional(z.int().check(z.nonnegative(), z.maximum(600_000))),
  key: z.optional(z.string()),
})

/** How results are delivered, what was delivered, and the next delivery. */
export const WEBHOOK_ROUTES = [
  post('setWebhooks', 'webhooks').taking(howSchema, (service, { key, ...how }) => {
    accountOf(service, key).webhook = how
    return { webhook: how }
  }),
  get('listDeliveries', 'deliveries', (service, { req }) => ({
    deliveries: service.deliveries.of(accountOf(service, req.query('key'))).map(toWire),
  })),
  // Waits in real time, while the server's own passes, and no longer than the client does.
  post('nextDelivery', 'deliveries/next').taking(nextSchema, async (service, body, { req, env: { work } }) => {
    const { key, job_id: jobId, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS } = body
    const account = accountOf(service, key)
    work.park()
    try {
      return {
        delivery: toWire(await service.deliveries.next({ account, jobId, timeoutMs, signal: req.raw.signal })),
      }
    } catch (error) {
      throw rejectedBy(error, 'NOT_FOUND')
    } finally {
      work.resume()
    }
  }),
]
