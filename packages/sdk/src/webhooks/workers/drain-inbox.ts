import { startTimer } from '../../clock.ts'
import { AbortedError } from '../../errors/transport-errors.ts'
import type { InboxCore } from '../inbox-core.ts'
import type { DrainOptions } from '../inbox-options.ts'

/** How long handlers may take to stop after their signal has aborted. */
const GRACE_MS = 1_000

/**
 * Takes no more work, and waits for what runs. Other processes do the rest, or this one after its restart.
 *
 * @param stopWorkers resolves when the tasks that run have ended
 */
export async function drainInbox(
  core: InboxCore,
  stopWorkers: () => Promise<void>,
  { timeoutMs }: DrainOptions,
): Promise<void> {
  const { stopping, aborting, tasks, subscribers } = core
  const { clock } = core.options
  const reason = new AbortedError({ message: 'The inbox is drained: it takes no more work.' })
  stopping.abort(reason)
  let stopTimer = () => {}
  const isAbandoned = new Promise<void>((resolve) => {
    if (timeoutMs === undefined) return
    stopTimer = startTimer(clock, timeoutMs, () => {
      aborting.abort(reason)
      stopTimer = startTimer(clock, GRACE_MS, resolve)
    })
  })
  const drained = stopWorkers().then(() => tasks.whenIdle())
  await Promise.race([drained, isAbandoned])
  stopTimer()
  subscribers.close(reason)
}
