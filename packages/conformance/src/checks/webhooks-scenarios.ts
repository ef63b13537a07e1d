import { defineScenario, type Scenario } from '../check.ts'
import { sleep, sleepInSteps } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { type PolledJob, readJob } from '../session/jobs.ts'
import { cancelRunning, type RunOptions, startRun } from '../session/runs.ts'
import type { Charge, Session } from '../session/session.ts'
import { type Delivery, type EndpointBehavior, SILENCE_MS } from '../webhooks/webhook-endpoints.ts'
import { polledRun } from './runs-scenarios.ts'

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
export interface RejectedRun extends DeliveredRun {
  acceptedCount: number
}

export const rejectedWithAcceptedCount = withAcceptedCount(rejectedWebhook)
export const silentWithAcceptedCount = withAcceptedCount(silentWebhook)

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
export const asyncWithAcceptedCount = withAcceptedCount(asyncWebhook)

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
