import { ConfigurationError } from '../../errors/local-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { Reconciler } from './reconcile.ts'
import { SWEEP_LIMIT, sweepPage } from './sweep.ts'

/** The wait before the next sweep when more was due than one takes. */
const MORE_MS = 1_000

/** Looks for due work and overdue jobs again and again, until the inbox stops. */
export function startBackground(core: InboxCore, reconciler: Reconciler): void {
  if (core.store.fault !== undefined) throw core.store.fault
  if (core.stopping.signal.aborted) {
    throw new ConfigurationError({ message: 'This inbox was drained: make a new one instead of starting it again.' })
  }
  let running = 0
  repeat(core, 'sweep', async () => {
    const room = SWEEP_LIMIT - running
    if (room === 0) return MORE_MS
    const { found, works } = await sweepPage(core, room)
    for (const work of works) {
      running++
      void work.then(() => running--)
    }
    return found === room ? MORE_MS : undefined
  })
  repeat(core, 'reconcile', async () => {
    await reconciler.pass()
    return undefined
  })
}

/** Runs something, and again after the interval of sweeps, ±20 % so that replicas do not run in step. */
function repeat(core: InboxCore, name: string, run: () => Promise<number | undefined>): void {
  const { sweepIntervalMs, random } = core.options
  let isFailing = false
  const tick = async () => {
    let nextInMs: number | undefined
    try {
      nextInMs = await run()
      isFailing = false
    } catch (error) {
      // Once for an outage, not every 15 s.
      if (!isFailing && !core.stopping.signal.aborted)
        core.hooks.warn(`the inbox could not ${name}; it goes on trying`, error)
      isFailing = true
    }
    core.later(nextInMs ?? sweepIntervalMs * (0.8 + 0.4 * random()), start)
  }
  const start = () => void core.tasks.track(tick())
  start()
}
