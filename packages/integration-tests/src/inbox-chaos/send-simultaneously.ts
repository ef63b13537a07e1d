import { CALM } from './fate.ts'
import { isAccepted } from './receiver.ts'
import { DEFAULT_LEASE_MS, type StoreSettings } from './receiver-settings.ts'
import { createWorld } from './world.ts'

export interface SimultaneousOptions {
  store: StoreSettings
  seed: number
  count: number
}

export interface SimultaneousResult {
  /** Deliveries that were answered with 2xx. The others may have been too many for the store, which is no loss. */
  accepted: number
  /** How often the handler was begun. */
  runs: number
}

/** Without news for so long, nothing more comes of the deliveries. */
const QUIET_MS = 1_000

/** Sends the same delivery to all receivers, many times at once, and waits until its job is done. */
export async function sendSimultaneously({ count, ...options }: SimultaneousOptions): Promise<SimultaneousResult> {
  const world = await createWorld({ ...options, rates: CALM, leaseMs: DEFAULT_LEASE_MS })
  try {
    const receivers = await world.receivers.allUp()
    const { url } = await world.sender.prepare()
    const body = JSON.stringify(world.service.finish('job_0'))
    const sends = Array.from(
      { length: count },
      async (_, index) => await receivers[index % receivers.length]?.post(url, body),
    )
    const posted = await Promise.all(sends)
    const { progress } = world
    await progress.until(() => progress.done.size > 0 && progress.quietMs() > QUIET_MS)
    return {
      accepted: posted.filter((answer) => answer !== undefined && isAccepted(answer)).length,
      runs: progress.entries.filter(({ what }) => what === 'began').length,
    }
  } finally {
    await world.close()
  }
}
