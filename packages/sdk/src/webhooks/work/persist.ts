import { sleep } from '../../abort.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { HeldLease } from './lease.ts'

const FIRST_WAIT_MS = 250

/** What became of a step that ends a lease. `failed`: the store could not be reached until the lease ran out. */
export type Persisted = 'ok' | 'lost' | 'failed'

/**
 * Takes a step that ends a lease, again and again while the store fails and the lease holds: what was done must not be
 * done again because of a blip. Steps are safe to repeat: the store knows the lease.
 */
export async function persist(
  core: InboxCore,
  held: HeldLease,
  step: () => Promise<'ok' | 'lost'>,
): Promise<{ result: Persisted; error?: unknown }> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return { result: await step() }
    } catch (error) {
      if (held.msLeft() <= waitMs || core.aborting.signal.aborted) return { result: 'failed', error }
    }
    await sleep(core.options.clock, waitMs, core.aborting.signal).catch(() => {})
  }
}
