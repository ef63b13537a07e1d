import { startTimer } from '../clock.ts'
import { AbortedError } from '../errors/transport-errors.ts'
import type { InboxCore } from './inbox-core.ts'

/** Options of `drain`. */
export interface DrainOptions {
  /** Milliseconds until the signals of the handlers that still run abort. Default: they may take as long as they need. */
  timeoutMs?: number | undefined
}

/** What handlers get to stop when their signal has aborted. */
const GRACE_MS = 1_000

/** Takes no more work and waits for the end of what is running. What is left is done by others, or after a restart. */
export async function drainInbox(core: InboxCore, { timeoutMs }: DrainOptions): Promise<void> {
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
  await Promise.race([core.tasks.whenIdle(), isAbandoned])
  stopTimer()
  core.followers.close(reason)
}
