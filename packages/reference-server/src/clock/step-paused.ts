import type { Activity } from './activity.ts'
import { checkAdvance } from './check-advance.ts'
import type { Chronicle, ClockEvent } from './chronicle.ts'
import type { RunningClock } from './clock.ts'

/** What a step works with. */
interface StepParts {
  clock: RunningClock
  activity: Activity
  chronicle: Chronicle
}

/**
 * Moves the time of a clock that is paused, as `advance` moves that of a manual one: what falls due runs in order, and
 * each settles before the next.
 *
 * @returns what happened meanwhile
 * @throws TypeError for a bad `ms`
 */
export async function stepPaused(
  { clock, activity, chronicle }: StepParts,
  ms: number,
): Promise<readonly ClockEvent[]> {
  checkAdvance(clock.now(), ms)
  const target = clock.now() + ms
  return chronicle.during(clock.now(), async () => {
    await activity.quiet()
    while (clock.speed?.fireNext(target)) {
      activity.touch()
      await activity.quiet()
    }
    clock.speed?.moveTo(target)
  })
}
