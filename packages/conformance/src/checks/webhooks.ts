import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import { sleep, sleepInSteps } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { BlockedError, type Finding, fail, judge, observe, pass, skip } from '../judge/finding.ts'
import { fileUrls } from '../judge/output.ts'
import { hasStatus, hasValue, rejectionOf } from '../judge/responses.ts'
import { isUtcTimestamp } from '../judge/utc-timestamp.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { jobStatus, type PolledJob, readJob } from '../session/jobs.ts'
import { cancelRunning, type RunOptions, startRun } from '../session/runs.ts'
import type { Charge, Session } from '../session/session.ts'
import { type Delivery, type EndpointBehavior, SILENCE_MS } from '../webhooks/webhook-endpoints.ts'
import { hasIdentity, mentionsPolling, polledRun } from './runs.ts'

/** A run with a webhook, its job, and what arrived. */
export interface DeliveredRun {
  target: ModelTarget
  response: ApiResponse
  /** Missing when the response names no job. */
  polled: PolledJob | undefined
  deliveries: readonly Delivery[]
  /** The `webhook_url` that was given. */
  url: string
  /** The charge, where the balance can be read. */
  charge: Charge | undefined
  /** What polling read once everything had arrived. */
  afterwards: ApiResponse | undefined
}

const POLL_INTERVAL_MS = 500

/** What arrives within the quiet time is counted to its end: more than one delivery may be a duplicate. */
export const successWebhook = webhookRun('success-webhook', 'main', 'accept')
export const failureWebhook = webhookRun('failure-webhook', 'failing', 'accept')
/** The receiver responds with 500. Another attempt would be a fault. */
export const rejectedWebhook = webhookRun('rejected-webhook', 'main', 'reject')
/** The receiver responds after its time limit of 10 s. */
export const silentWebhook = webhookRun('silent-webhook', 'main', 'silent')

/** A run whose delivery was not accepted, and how often one that is accepted comes: duplicates are allowed. */
interface RejectedRun extends DeliveredRun {
  acceptedCount: number
}

const rejectedWithAcceptedCount = withAcceptedCount(rejectedWebhook)
const silentWithAcceptedCount = withAcceptedCount(silentWebhook)

function withAcceptedCount(rejected: Scenario<DeliveredRun>): Scenario<RejectedRun> {
  return defineScenario(`${rejected.id}-with-accepted-count`, { uses: [rejected, successWebhook] }, async (session) => {
    const { deliveries } = await session.evidence(successWebhook)
    return { ...(await session.evidence(rejected)), acceptedCount: deliveries.length }
  })
}

/** A job with a webhook that is cancelled. */
export const cancelledWebhook = defineScenario(
  'cancelled-webhook',
  { runs: { longest: 1 }, receiver: true },
  async (session) => {
    const endpoint = session.webhookEndpoints.open('accept')
    const run = await cancelRunning(session, await startRun(session, 'longest', { webhook_url: endpoint.url }))
    await arrivals(session, endpoint.deliveries, { count: 1, withinMs: session.options.limits.quietMs })
    return { ...run, deliveries: endpoint.deliveries }
  },
)

/** `sync: false` and `webhook_url` in one run; the receiver responds with 404. */
export const asyncWebhook = webhookRun('async-webhook', 'main', 'miss', { sync: false })
const asyncWithAcceptedCount = withAcceptedCount(asyncWebhook)

function webhookRun(
  id: string,
  ...[kind, behavior, options]: [RunKind, EndpointBehavior, RunOptions?]
): Scenario<DeliveredRun> {
  return defineScenario(id, { runs: { [kind]: 1 }, receiver: true }, async (session) => {
    const { url, deliveries } = session.webhookEndpoints.open(behavior)
    const run = await polledRun(session, kind, { ...options, webhook_url: url })
    await expectDeliveries(session, deliveries, behavior)
    const afterwards = run.polled && (await readJob(session, run.polled.jobId))
    return { ...run, deliveries, url, afterwards }
  })
}

/** What comes after the first is a duplicate, or an attempt that must not be. */
async function expectDeliveries(
  session: Session,
  deliveries: readonly Delivery[],
  behavior: EndpointBehavior,
): Promise<void> {
  const { deliveryMs, quietMs } = session.options.limits
  await arrivals(session, deliveries, { count: 1, withinMs: deliveryMs })
  const withinMs = quietMs + (behavior === 'silent' ? SILENCE_MS : 0)
  if (deliveries.length > 0) await sleepInSteps(session.clock, withinMs)
}

/** Waits until so many deliveries have arrived, or the time is over. */
async function arrivals(
  { clock }: Session,
  deliveries: readonly Delivery[],
  { count, withinMs }: { count: number; withinMs: number },
): Promise<void> {
  const until = clock.now() + withinMs
  while (deliveries.length < count && clock.now() < until) await sleep(clock, POLL_INTERVAL_MS)
}

/** The first delivery of a run. */
export function firstDelivery({ deliveries, response }: DeliveredRun): Delivery {
  const [delivery] = deliveries
  if (delivery === undefined) throw new BlockedError('no delivery came', response)
  return delivery
}

/** The last poll of the job. */
export function lastRead({ polled, response }: DeliveredRun): ApiResponse {
  if (polled === undefined) throw new BlockedError('the response to the run has no job_id', response)
  return polled.last
}

/** What polling read after the deliveries. */
export function readAfterDelivery(run: DeliveredRun): ApiResponse {
  firstDelivery(run)
  if (run.afterwards === undefined) throw new BlockedError('the response to the run has no job_id', run.response)
  return run.afterwards
}

/** Headers that every HTTP client may send; others may let a receiver verify a delivery. */
const COMMON_HEADERS =
  /^(accept.*|connection|content-(type|length|encoding)|host|user-agent|x-forwarded-.*|via|forwarded|cache-control|pragma|sec-.*|transfer-encoding|traceparent|tracestate|priority|keep-alive)$/

/** Runs with a webhook, and what is delivered (sections 3, 4.3, 6 and 7). */
export const WEBHOOKS_CHECKS: readonly Check[] = [
  check('webhooks/run-status-code', successWebhook, ({ response }) => hasStatus(response, 202)),
  check('webhooks/run-identity', successWebhook, hasIdentity),
  check('webhooks/run-status', successWebhook, ({ response }) => hasValue(response, '/status', 'processing')),
  check('webhooks/run-message', successWebhook, ({ response }) => mentionsPolling(response)),
  check('webhooks/delivered', successWebhook, isDelivered),
  check('webhooks/post', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    return judge(delivery.method === 'POST', `the delivery is a ${delivery.method}; expected POST`, delivery)
  }),
  check('webhooks/json', successWebhook, (run) => {
    const delivery = firstDelivery(run)
    return judge(isRecord(delivery.json), `the body is ${show(delivery.json)}; expected a JSON object`, delivery)
  }),
  onDelivery('webhooks/job-id', successWebhook, '/job_id', isOfRun),
  onDelivery('webhooks/status', successWebhook, '/status', (value) => value === 'succeeded'),
  onDelivery('webhooks/output', successWebhook, '/output', isRecord),
  onDelivery('webhooks/credits', successWebhook, '/credits_used', (value, run) => value === run.target.creditsPerRun),
  onDelivery('webhooks/completed-at', successWebhook, '/completed_at', isUtcTimestamp),
  check('webhooks/same-result-by-polling', successWebhook, (run) => {
    const [delivery, last] = [firstDelivery(run), lastRead(run)]
    const [delivered, read] = [at(delivery.json, '/output'), at(last.json, '/data/output')]
    const isSame = jobStatus(last) === 'succeeded' && fileUrls(delivered).length === fileUrls(read).length
    return judge(isSame, `polling reads ${show(jobStatus(last))} with ${show(read)}`, [delivery, last])
  }),
  check('webhooks/failure-delivered', failureWebhook, isDelivered),
  onDelivery('webhooks/failure-status', failureWebhook, '/status', (value) => value === 'failed'),
  onDelivery('webhooks/failure-code', failureWebhook, '/error/code', (value) => value === 'PROVIDER_FAILURE'),
  onDelivery(
    'webhooks/failure-message',
    failureWebhook,
    '/error/message',
    (value) => typeof value === 'string' && value !== '',
  ),
  check('webhooks/no-retry-after-500', rejectedWithAcceptedCount, isNotRetried),
  check('webhooks/no-retry-after-silence', silentWithAcceptedCount, isNotRetried),
  check('webhooks/no-retry-after-404', asyncWithAcceptedCount, isNotRetried),
  check('webhooks/duplicates', successWebhook, ({ deliveries }) =>
    observe(deliveries.length, `${deliveries.length} deliveries arrived`, deliveries),
  ),
  check('webhooks/headers', successWebhook, (run) => {
    const delivery = firstDelivery(run)
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

/** Judges a value of the first delivery's body. */
export function onDelivery(
  id: string,
  scenario: Scenario<DeliveredRun>,
  ...[pointer, isRight]: [string, (value: unknown, run: DeliveredRun) => boolean]
): Check {
  return check(id, scenario, (run) => {
    const delivery = firstDelivery(run)
    const value = at(delivery.json, pointer)
    return judge(isRight(value, run), `${pointer} of the delivery is ${show(value)}`, delivery)
  })
}

export function isOfRun(jobId: unknown, { response }: DeliveredRun): boolean {
  return jobId === at(response.json, '/job_id')
}

function isDelivered({ deliveries, response }: DeliveredRun): Finding {
  if (deliveries.length === 0) return fail('no delivery came', response)
  return pass('a delivery came', deliveries)
}

/** A service may deliver everything twice (section 6, rule 3): only more than that is a retry. */
function isNotRetried({ deliveries, response, acceptedCount }: RejectedRun): Finding {
  if (deliveries.length === 0) return skip('no delivery came', response)
  if (acceptedCount === 0) return skip('no delivery came that could be compared', deliveries)
  const found = `${deliveries.length} attempts; a delivery that is accepted comes ${acceptedCount} times`
  return judge(deliveries.length <= acceptedCount, found, deliveries)
}
