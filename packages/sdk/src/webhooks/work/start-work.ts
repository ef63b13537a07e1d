import type { InboxCore } from '../inbox-core.ts'
import type { WebhookEvent } from '../webhook-event.ts'
import { type Claimed, claimRecord } from './claimed.ts'
import type { WorkOutcome } from './end-work.ts'
import { runClaimed } from './run-claimed.ts'

/** Keeps a serverless function alive for the work. */
export type WaitUntil = (work: Promise<unknown>) => void

/** The wait before a claim is tried again when the store failed. */
const STORE_WAIT = { minMs: 1_000, maxMs: 300_000 } as const

/** The wait before a claim that came too early is tried again, at least. */
const MIN_WAIT_MS = 10

/** Works on a record in the background. What has to be tried again is, in this process, unless that may be gone by then. */
export function startWork(core: InboxCore, claimed: Claimed, waitUntil?: WaitUntil): Promise<WorkOutcome> {
  const { options, tasks } = core
  const isServerless = waitUntil !== undefined || options.waitUntil !== undefined
  const work = tasks.track(runClaimed(core, claimed))
  void work.then(({ rerunInMs, confirmed }) => {
    if (rerunInMs !== undefined && !isServerless) rerunLater(core, { key: claimed.lease.key, confirmed }, rerunInMs)
  })
  keepAlive(work, waitUntil ?? options.waitUntil)
  return work
}

/** Tells a serverless function of background work. What it throws must not cost the answer. */
export function keepAlive(work: Promise<unknown>, waitUntil: WaitUntil | undefined): void {
  try {
    waitUntil?.(work)
  } catch (error) {
    console.error('modelrun: the `waitUntil` of the inbox failed; the work may be cut off:', error)
  }
}

/** A record to work on once more. */
export interface Rerun {
  key: string
  confirmed?: WebhookEvent | undefined
  /** The wait when the store fails; longer each time. */
  storeWaitMs?: number
}

/** Claims a record again after a while; the end of the inbox stops that, and the sweep of any process does it then. */
export function rerunLater(core: InboxCore, rerun: Rerun, delayMs: number): void {
  core.later(delayMs, () => void core.tasks.track(claimAgain(core, rerun)))
}

async function claimAgain(core: InboxCore, rerun: Rerun): Promise<void> {
  const { key, confirmed, storeWaitMs = STORE_WAIT.minMs } = rerun
  try {
    const claim = await claimRecord(core, key)
    if (claim.claimed !== undefined) await startWork(core, { ...claim.claimed, confirmed })
    // The store's clock runs behind ours.
    else if (claim.result.kind === 'waiting') rerunLater(core, rerun, Math.max(MIN_WAIT_MS, claim.result.msLeft))
  } catch {
    const longer = Math.min(STORE_WAIT.maxMs, storeWaitMs * 2)
    rerunLater(core, { key, confirmed, storeWaitMs: longer }, storeWaitMs)
  }
}
