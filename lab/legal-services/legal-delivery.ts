import { sleep } from '@modelrun/kit'
import type { ConformanceClock } from '../../packages/conformance/src/clock.ts'
import type { LegalChoices } from './legal-choices.ts'
import { clockOf, errorOf, type LegalJob, statusOf } from './legal-job.ts'

/** Sends a webhook delivery. */
export type Deliver = (url: string, init: RequestInit) => Promise<unknown>

interface Delivery {
  clock: ConformanceClock
  choices: LegalChoices
  deliver: Deliver
  output: () => object
}

/** A receiver has so long to respond. */
const ACKNOWLEDGE_MS = 10_000

/** Delivers the result once the job has ended, as often as chosen, and never again after that (section 6). */
export async function deliverResult(job: LegalJob, { clock, choices, deliver, output }: Delivery): Promise<void> {
  const cancelled = new Promise<void>((resolve) => job.onCancel.push(resolve))
  await Promise.race([sleep(clock, job.endsAt - clock.now()), cancelled])
  if (job.cancelledAt !== undefined) await sleep(clock, job.cancelledAt - clock.now())
  const status = statusOf(job, job.cancelledAt ?? Math.max(job.endsAt, clock.now()))
  if (status === 'cancelled' && choices.cancelledWebhook === 'none') return
  const body = JSON.stringify(bodyOf(job, { status, at: clock.now(), output, choices }))
  const signature = choices.deliveryHeaders === 'signed' ? { 'x-signature': 'sha256=0a1b' } : {}
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...signature }, body }
  for (let count = 0; count < choices.duplicates; count++) {
    if (count > 0) await sleep(clock, 700)
    // Neither a rejection nor silence makes the service try again.
    const sent = deliver(String(job.webhookUrl), init).catch(() => undefined)
    await Promise.race([sent, sleep(clock, ACKNOWLEDGE_MS)])
  }
}

interface Ended {
  status: string
  at: number
  output: () => object
  choices: LegalChoices
}

function bodyOf(job: LegalJob, { status, at, output, choices }: Ended): Record<string, unknown> {
  const identity = { job_id: job.id, status, ...(choices.extraMembers === 'none' ? {} : { x_extra: { more: true } }) }
  if (status === 'failed') return { ...identity, error: errorOf(job, choices) }
  if (status === 'cancelled') return identity
  const iso = clockOf(choices)(at)
  const completed_at = {
    milliseconds: iso,
    seconds: iso.replace(/\.\d+/, ''),
    offset: iso.replace('Z', '+00:00'),
    basic: iso.replace(/[-:]|\.\d+/g, ''),
  }[choices.completedAt]
  return { ...identity, output: output(), credits_used: job.model.credits, completed_at }
}
