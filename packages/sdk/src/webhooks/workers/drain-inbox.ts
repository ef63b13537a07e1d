import { startTimer } from '../../clock.ts'
import { AbortedError } from '../../errors/transport-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { InboxWorkers } from './inbox-workers.ts'

/** Options of `drain`. */
export interface DrainOptions {
  /** Milliseconds until the signals of the handlers that still run abort. Default: they may take as long as they need. */
  timeoutMs?: number | undefined
}

/** How long handlers have to stop when their signal has aborted. */
const GRACE_MS = 1_000

/** Takes no more work and waits for the end of what is running. Other processes do the rest, or this one after a restart. */
export async function drainInbox(core: InboxCore, workers: InboxWorkers, { timeoutMs }: DrainOptions): Promise<void> {
  const { clock } = core.options
  const reason = new AbortedError({ message: 'The inbox is drained: it takes no more work.' })
  core.stopping.abort(reason)
  let stopTimer = () => {}
  const isAbandoned = new Promise<void>((resolve) => {
    if (timeoutMs === undefined) return
    stopTimer = startTimer(clock, timeoutMs, () => {
      core.aborting.abort(reason)
      stopTimer = startTimer(clock, GRACE_MS, resolve)
    })
  })
  const drained = workers.stop().then(() => core.tasks.whenIdle())
  await Promise.race([drained, isAbandoned])
  stopTimer()
  core.subscribers.close(reason)
}
