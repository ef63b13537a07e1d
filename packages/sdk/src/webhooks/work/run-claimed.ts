import { contextOf } from '../expecting/context-of.ts'
import type { InboxCore } from '../inbox-core.ts'
import { jobIdOfKey } from '../record-key.ts'
import { readStoredDelivery, type StoredDelivery } from '../stored-delivery.ts'
import { type Confirmation, confirmDelivery } from '../trust/confirm-delivery.ts'
import { outputProblem } from '../trust/output-problem.ts'
import type { Claimed } from './claimed.ts'
import { endDead, endFailed, endLost, endRun, endUnconfirmed, type Work, type WorkOutcome } from './end-work.ts'
import { holdLease } from './lease.ts'
import { runHandler } from './run-handler.ts'

/** Confirms a delivery, runs its handler, and ends the lease by what came of it. Never rejects. */
export async function runClaimed(core: InboxCore, claimed: Claimed): Promise<WorkOutcome> {
  const { lease, sentAt, context, confirmed } = claimed
  const held = holdLease(core, lease, sentAt)
  const delivery = readStoredDelivery(claimed.payload)
  const work: Work = { core, held, delivery: delivery ?? unreadable(claimed), context, confirmed }
  try {
    if (held.signal.aborted) return endLost(work)
    // It was claimed for what is stored, and has been put back to be delivered: that is for the poller.
    if (claimed.payload === undefined) return await endUnconfirmed(work, { kind: 'expect', pollInMs: 0 })
    const problem = delivery === undefined ? 'what the store keeps of it is unreadable' : tooOften(work)
    if (problem !== undefined) return await endDead(work, new Error(`The delivery cannot be handled: ${problem}.`))
    return await confirmAndRun({ ...work, context: await contextOf(core, context, work.delivery) })
  } catch (error) {
    return await endFailed(work, error)
  } finally {
    held.stop()
  }
}

/** What cannot be read is shown as an event of unknown status. */
function unreadable({ lease, payload }: Claimed): StoredDelivery {
  const event = { status: 'unknown', job_id: jobIdOfKey(lease.key), payload: { unreadable: payload } } as const
  return { source: 'webhook', token: 'none', event }
}

/** A delivery that ends its process each time must not do so for ever. */
function tooOften({ core, held }: Work): string | undefined {
  const runs = held.lease.attempt - 1
  return runs < core.options.maxAttempts ? undefined : `${runs} runs did not come to an end, as their processes died`
}

async function confirmAndRun(work: Work): Promise<WorkOutcome> {
  const { core, held, delivery, context } = work
  const confirmation = await confirm(work)
  if (confirmation.kind === 'unconfirmed') return await endUnconfirmed(work, confirmation.next, confirmation.failure)
  if (confirmation.kind === 'refused') return await endFailed(work, confirmation.error)
  const { event } = confirmation
  const confirmed = { ...work, confirmed: event }
  if (held.signal.aborted) return endLost(confirmed)
  const problem = outputProblem(core, event)
  if (problem !== undefined) return await endDead(confirmed, problem)
  // Of an expected job, the caller of its run has the result.
  if (!core.followers.confirmed(event) && context === undefined) core.hooks.unheeded(event)
  const end = await runHandler(core, { held, event, source: delivery.source, context: context?.context })
  return await endRun(confirmed, event, end)
}

async function confirm({ core, delivery, context, confirmed }: Work): Promise<Confirmation> {
  if (confirmed !== undefined) return { kind: 'confirmed', event: confirmed }
  return await confirmDelivery(core, { delivery, isExpected: context !== undefined })
}
