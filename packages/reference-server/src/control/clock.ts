import * as z from 'zod/mini'
import type { RunningClock } from '../clock/clock.ts'
import type { ControlResponses } from './responses.ts'
import { get, post, rejectedBy } from './route.ts'

const advanceSchema = z.strictObject({ advance_ms: z.number().check(z.nonnegative()) })

export const CLOCK_ROUTES = [
  get('readClock', 'clock', ({ clock }) => clockJson(clock)),
  post('advanceClock', 'clock').taking(advanceSchema, async ({ clock }, { advance_ms }, { env }) => {
    env.work.park() // time would wait for this very request
    try {
      await clock.advance(advance_ms)
      return { now_ms: clock.now() }
    } catch (error) {
      throw rejectedBy(error, 'CONFLICT')
    } finally {
      env.work.resume()
    }
  }),
]

export function clockJson(clock: RunningClock): ControlResponses['Clock'] {
  const { mode, scale } = clock
  return { mode, now_ms: clock.now(), scale }
}
