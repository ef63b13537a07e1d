import type { Activity } from './activity.ts'
import { checkAdvance, type RunningClock } from './clock.ts'
import type { ClockEvent, EventLog } from './event-log.ts'

/** The dependencies of a step. */
interface StepParts {
  clock: RunningClock
  activity: Activity
  eventLog: EventLog
}

/**
 * Moves the time of a clock that is paused, as `advance` moves that of a manual one: what falls due runs in order, and
 * each settles before the next.
 *
 * @returns what happened meanwhile
 * @throws ConfigurationError for a bad `ms`
 */
export async function stepPaused({ clock, activity, eventLog }: StepParts, ms: number): Promise<readonly ClockEvent[]> {
  checkAdvance(clock.now(), ms)
  const target = clock.now() + ms
  return eventLog.during(clock.now(), async () => {
    await activity.quiet()
    while (clock.speed?.fireNext(target)) {
      activity.touch()
      await activity.quiet()
    }
    clock.speed?.moveTo(target)
  })
}
