import * as z from 'zod/mini'
import { checkAdvance, type RunningClock } from '../clock/clock.ts'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import type { Service } from '../service/service.ts'
import type { ControlResponses } from './responses.ts'
import { get, post, rejected, rejectedBy } from './route.ts'

const advanceSchema = z.strictObject({ advance_ms: z.number().check(z.nonnegative()) })
const scaleSchema = z.strictObject({ scale: z.number().check(z.nonnegative(), z.maximum(LARGEST_SCALE)) })

/** Reading time, moving it on, and changing its speed. */
export const CLOCK_ROUTES = [
  get('readClock', 'clock', ({ clock }) => clockJson(clock)),
  post('advanceClock', 'clock').taking(advanceSchema, async (service, { advance_ms }, { env }) => {
    const { clock } = service
    env.work.park() // time would wait for this very request
    try {
      const isPaused = clock.speed?.scale() === 0
      await (isPaused ? stepPaused(service, advance_ms) : clock.advance(advance_ms))
      return { now_ms: clock.now() }
    } catch (error) {
      throw rejectedBy(error, 'CONFLICT')
    } finally {
      env.work.resume()
    }
  }),
  post('setClockScale', 'clock/scale').taking(scaleSchema, ({ clock }, { scale }) => {
    if (clock.speed === undefined)
      throw rejected('CONFLICT', `The clock is ${clock.mode}: its time does not pass by itself, so it has no speed.`)
    clock.speed.setScale(scale)
    return clockJson(clock)
  }),
]

/** The clock as the control API shows it. */
export function clockJson(clock: RunningClock): ControlResponses['Clock'] {
  const { mode, speed } = clock
  return { mode, now_ms: clock.now(), ...(speed === undefined ? {} : { scale: speed.scale() }) }
}

/** Moves the time of a clock that is paused, as `advance` moves that of a manual one. @throws ConfigurationError for a bad `ms` */
async function stepPaused({ clock, activity }: Service, ms: number): Promise<void> {
  checkAdvance(clock.now(), ms)
  if (clock.speed !== undefined) await activity.settleUntil(clock.now() + ms, clock.speed)
}
