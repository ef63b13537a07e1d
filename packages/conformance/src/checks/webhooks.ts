import { type Check, check, defineScenario } from '../check.ts'
import { sleep, sleepInSteps } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { BlockedError, observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import type { RunKind } from '../plan/targets.ts'
import { jobStatus } from '../session/jobs.ts'
import { cancelRunning, measuredRun, type RunOptions, startRun, unlessProviderFails } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { type EndpointBehavior, SILENCE_MS, type WebhookEndpoint } from '../webhooks/webhook-endpoints.ts'

const POLL_INTERVAL_MS = 500

/** What arrives within the quiet time is counted to its end: more than one delivery may be a duplicate. */
export const successWebhook = webhookRun('success-webhook', 'main', 'accept')
export const failureWebhook = webhookRun('failure-webhook', 'failing', 'accept')

/** A job with a webhook that is cancelled. */
export const cancelledWebhook = defineScenario(
  'cancelled-webhook',
  { runs: { longest: 0 }, receiver: true },
  async (session) => {
    const endpoint = session.webhookEndpoints.open('accept')
    const started = await startRun(session, 'longest', { webhook_url: endpoint.url })
    blockIfRejected(started, endpoint.url)
    const run = await cancelRunning(session, started)
    const until = session.clock.now() + session.options.limits.quietMs
    while (endpoint.deliveries.length === 0 && session.clock.now() < until) await sleep(session.clock, POLL_INTERVAL_MS)
    return { ...run, deliveries: endpoint.deliveries }
  },
)

/** `sync: false` and `webhook_url` in one run; the receiver responds with 404. */
export const asyncWebhook = webhookRun('async-webhook', 'main', 'miss', { sync: false })

function webhookRun(id: string, ...[kind, behavior, options]: [RunKind, EndpointBehavior, RunOptions?]) {
  return defineScenario(id, { runs: { [kind]: 1 }, mayFail: kind, receiver: true }, async (session) => {
    const { url, deliveries, ...run } = await unlessProviderFails(session, kind, async () => {
      const endpoint = session.webhookEndpoints.open(behavior)
      return { ...endpoint, ...(await measuredRun(session, kind, { ...options, webhook_url: endpoint.url })) }
    })
    blockIfRejected(run.response, url)
    await awaitDeliveries(session, [{ behavior, deliveries }])
    return { ...run, deliveries }
  })
}

/** Webhook URLs should use HTTPS (section 6, rule 5), so that others may be rejected. */
function blockIfRejected(response: ApiResponse, url: string): void {
  const isRejected = response.status >= 400 && response.status < 500
  if (isRejected && url.startsWith('http:'))
    throw new BlockedError(
      `rejects a webhook_url without https (${rejectionText(response)}); give one with it`,
      response,
    )
}

/** Waits until a delivery has come to each, and for what comes afterwards: a duplicate, or an attempt that must not be. */
export async function awaitDeliveries(
  session: Session,
  endpoints: readonly Pick<WebhookEndpoint, 'behavior' | 'deliveries'>[],
): Promise<void> {
  const { deliveryMs, quietMs } = session.options.limits
  const until = session.clock.now() + deliveryMs
  const isWaiting = () => endpoints.some(({ deliveries }) => deliveries.length === 0)
  while (isWaiting() && session.clock.now() < until) await sleep(session.clock, POLL_INTERVAL_MS)
  const isSilent = endpoints.some(({ behavior }) => behavior === 'silent')
  const hasCome = endpoints.some(({ deliveries }) => deliveries.length > 0)
  if (hasCome) await sleepInSteps(session.clock, quietMs + (isSilent ? SILENCE_MS : 0))
}

/** Headers that every HTTP client may send; others may let a receiver verify a delivery. */
const COMMON_HEADERS =
  /^(accept.*|connection|content-(type|length|encoding)|host|user-agent|x-forwarded-.*|via|forwarded|cache-control|pragma|sec-.*|transfer-encoding|traceparent|tracestate|priority|keep-alive)$/

/** Runs with a webhook, and what is delivered (sections 3, 4.3, 6 and 7). */
export const WEBHOOKS_CHECKS: readonly Check[] = [
  check('webhooks/duplicates', successWebhook, ({ deliveries }) =>
    observe(deliveries.length, `${deliveries.length} deliveries arrived`, deliveries),
  ),
  check('webhooks/headers', successWebhook, ({ response, deliveries: [delivery] }) => {
    if (delivery === undefined) return skip('no delivery came', response)
    const names = [...delivery.headers.keys()].filter((name) => !COMMON_HEADERS.test(name)).toSorted()
    return observe(names, `headers that could verify a delivery: ${show(names)}`, delivery)
  }),
  check('webhooks/cancelled-job', cancelledWebhook, ({ after, deliveries }) => {
    if (jobStatus(after.last) !== 'cancelled') return skip('the job was not cancelled', [after.last])
    const observation = deliveries.length > 0 ? 'sent' : 'none'
    return observe(observation, `${deliveries.length} deliveries for a cancelled job`, [after.last, ...deliveries])
  }),
  check('webhooks/async-run', asyncWebhook, ({ response }) => {
    const status = at(response.json, '/status')
    return observe(
      { ...rejectionOf(response), response: String(status) },
      `status ${response.status}, /status ${show(status)}`,
      response,
    )
  }),
]
