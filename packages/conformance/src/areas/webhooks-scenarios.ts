import type { RunKind, Scenario } from '../check.ts'
import { sleep } from '../clock.ts'
import type { Answer } from '../http/answer.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { type JobWatch, watchRun } from '../session/jobs.ts'
import { type CancelledRun, cancelRunning, startRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { type Delivery, type Mailbox, type Manner, SILENCE_MS } from '../webhooks/mailroom.ts'

/** A run with a webhook, its job, and what arrived. */
export interface DeliveredRun {
  target: ModelTarget
  answer: Answer
  /** Missing when the answer names no job. */
  watch: JobWatch | undefined
  deliveries: readonly Delivery[]
}

const LOOK_EVERY_MS = 500

/** What arrives within the quiet time is counted to its end: more than one delivery may be a duplicate. */
export const successWebhook = webhookRun('success-webhook', 'main', 'accept')
export const failureWebhook = webhookRun('failure-webhook', 'failing', 'accept')
/** The receiver answers with 500: what must not follow is another attempt. */
const rejectedWebhook = webhookRun('rejected-webhook', 'main', 'reject')
/** The receiver answers after more than the 10 s that it has. */
const silentWebhook = webhookRun('silent-webhook', 'main', 'silent')

/** A run whose delivery was not accepted, and how often one that is accepted comes: duplicates are allowed. */
export interface RefusedRun extends DeliveredRun {
  usual: number
}

export const rejectedBesideUsual = besideUsual(rejectedWebhook)
export const silentBesideUsual = besideUsual(silentWebhook)

function besideUsual(refused: Scenario<DeliveredRun>): Scenario<RefusedRun> {
  return {
    id: `${refused.id}-beside-usual`,
    uses: [refused, successWebhook],
    perform: async (session) => {
      const { deliveries } = await session.evidence(successWebhook)
      return { ...(await session.evidence(refused)), usual: deliveries.length }
    },
  }
}

/** A job with a webhook that is cancelled. */
export const cancelledWebhook: Scenario<CancelledRun & { deliveries: readonly Delivery[] }> = {
  id: 'cancelled-webhook',
  runs: { longest: 1 },
  receiver: true,
  perform: async (session) => {
    const mailbox = session.mailroom.open('accept')
    const run = await cancelRunning(session, await startRun(session, 'longest', { webhook_url: mailbox.url }))
    await arrivals(session, mailbox, { count: 1, withinMs: session.options.limits.quietMs })
    return { ...run, deliveries: mailbox.deliveries }
  },
}

/** `sync: false` and `webhook_url` in one run. */
export const asyncWebhook: Scenario<Answer> = {
  id: 'async-webhook',
  runs: { main: 1 },
  receiver: true,
  perform: async (session) => {
    const { url } = session.mailroom.open('accept')
    return startRun(session, 'main', { sync: false, webhook_url: url })
  },
}

function webhookRun(id: string, kind: RunKind, manner: Manner): Scenario<DeliveredRun> {
  return {
    id,
    runs: { [kind]: 1 },
    receiver: true,
    perform: async (session) => {
      const mailbox = session.mailroom.open(manner)
      const answer = await startRun(session, kind, { webhook_url: mailbox.url })
      const watch = await watchRun(session, answer)
      const { deliveryMs, quietMs } = session.options.limits
      await arrivals(session, mailbox, { count: 1, withinMs: deliveryMs })
      // What comes after the first is a duplicate, or an attempt that must not be.
      const withinMs = quietMs + (manner === 'silent' ? SILENCE_MS : 0)
      if (mailbox.deliveries.length > 0) await sleep(session.clock, withinMs)
      return { target: session.target(kind), answer, watch, deliveries: mailbox.deliveries }
    },
  }
}

/** Waits until so many deliveries have arrived, or the time is over. */
async function arrivals(
  { clock }: Session,
  { deliveries }: Mailbox,
  { count, withinMs }: { count: number; withinMs: number },
): Promise<void> {
  const until = clock.now() + withinMs
  while (deliveries.length < count && clock.now() < until) await sleep(clock, LOOK_EVERY_MS)
}

/** The first delivery of a run. */
export function firstDelivery({ deliveries, answer }: DeliveredRun): Delivery {
  const [delivery] = deliveries
  if (delivery === undefined) throw new BlockedError('no delivery came', answer)
  return delivery
}

/** The last answer that told of the job. */
export function lastRead({ watch, answer }: DeliveredRun): Answer {
  if (watch === undefined) throw new BlockedError('the run was answered without a job_id', answer)
  return watch.last
}
