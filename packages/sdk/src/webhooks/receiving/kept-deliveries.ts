import { sleep } from '../../abort.ts'
import type { InboxCore } from '../inbox-core.ts'
import { keepAlive } from '../work/start-work.ts'
import { type Accepting, acceptDelivery } from './accept-delivery.ts'

/** For how long a delivery that could not be stored is kept, and how much of that at once. */
const KEEP_MS = 60_000
const MAX_KEPT = 1_000
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024

const WAIT = { firstMs: 1_000, maxMs: 8_000 } as const

/** A delivery that the store did not take. */
export interface Keeping extends Accepting {
  /** The try before, which may still succeed or has failed. */
  earlier: Promise<unknown>
}

/** Deliveries that the store did not take: they are never sent again, so they are tried again from memory for a minute. */
export function createKeptDeliveries(core: InboxCore): { keep(keeping: Keeping): void } {
  const { clock } = core.options
  let count = 0
  let characters = 0

  async function tryAgain({ earlier, ...accepting }: Keeping): Promise<void> {
    const endsAt = clock.now() + KEEP_MS
    let tried = earlier
    for (let waitMs: number = WAIT.firstMs; ; waitMs = Math.min(WAIT.maxMs, waitMs * 2)) {
      try {
        await tried
        return
      } catch (error) {
        if (clock.now() >= endsAt || core.aborting.signal.aborted) return giveUp(accepting, error)
      }
      await sleep(clock, Math.min(waitMs, endsAt - clock.now()), core.aborting.signal).catch(() => {})
      tried = acceptDelivery(core, { ...accepting, isRepeated: true })
    }
  }

  function giveUp({ delivery: { event } }: Accepting, error: unknown): void {
    core.hooks.tell('onHandlerError', { event, attempt: 1, error })
  }

  return {
    keep: (keeping) => {
      const size = JSON.stringify(keeping.delivery).length
      const isRoom = count < MAX_KEPT && characters + size <= MAX_KEPT_CHARACTERS
      if (!isRoom) return void keeping.earlier.catch((error: unknown) => giveUp(keeping, error))
      count++
      characters += size
      const work = tryAgain(keeping).finally(() => {
        count--
        characters -= size
      })
      keepAlive(core.tasks.track(work), keeping.waitUntil ?? core.options.waitUntil)
    },
  }
}
