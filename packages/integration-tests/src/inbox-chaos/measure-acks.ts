import { setTimeout as sleep } from 'node:timers/promises'
import { chance } from './chance.ts'
import { planSteps } from './deliveries.ts'
import { CALM } from './fate.ts'
import { monotonicMs } from './journal.ts'
import { isAccepted } from './receiver.ts'
import { DEFAULT_LEASE_MS, type StoreSettings } from './receiver-settings.ts'
import { takeSteps } from './take-steps.ts'
import { createWorld } from './world.ts'

export interface AckOptions {
  store: StoreSettings
  jobs: number
  seed: number
  /** Mean; the gaps between deliveries are random, as those of independent senders are. */
  deliveriesPerSecond: number
}

/** Part of the deliveries that comes first and does not count: programs that have just begun are slow. */
const WARM_UP = 0.2

/**
 * Sorted times until deliveries were answered, in milliseconds; infinite for one that was not accepted. Nothing goes
 * wrong on purpose here, and a third comes twice.
 */
export async function measureAcks({ deliveriesPerSecond, ...options }: AckOptions): Promise<number[]> {
  const world = await createWorld({
    ...options,
    rates: CALM,
    maxUnanswered: Number.POSITIVE_INFINITY,
    leaseMs: DEFAULT_LEASE_MS,
  })
  try {
    await world.receivers.allUp()
    const steps = planSteps({ ...options, dropped: 0 })
    const posted = await takeSteps(world, steps, atRandomTimes(options.seed, deliveriesPerSecond))
    const acksMs = posted.map((posted) => (isAccepted(posted) ? posted.ackMs : Number.POSITIVE_INFINITY))
    return acksMs.slice(acksMs.length * WARM_UP).toSorted((a, b) => a - b)
  } finally {
    await world.close()
  }
}

function atRandomTimes(seed: number, perSecond: number): () => Promise<void> {
  let nextAtMs = monotonicMs()
  let count = 0
  return async () => {
    nextAtMs -= (Math.log(1 - chance(seed, 'gap', count++)) * 1_000) / perSecond
    const waitMs = nextAtMs - monotonicMs()
    if (waitMs > 0) await sleep(waitMs)
  }
}

/** @param part Of sorted values: 0.5 for the middle one. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN
}
