import * as z from 'zod/mini'
import type { RunningClock } from '../clock/clock.ts'
import { LARGEST_SCALE } from '../clock/create-clock.ts'
import { stepPaused } from '../clock/step-paused.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Service } from '../service/service.ts'
import type { ControlRoute } from './route.ts'

/** Reading time, moving it on, and changing its speed. */
export const CLOCK_ROUTES = [
  {
    operationId: 'readClock',
    method: 'GET',
    name: 'clock',
    handler: ({ clock }) => jsonResponse(200, clockJson(clock)),
  },
  { operationId: 'advanceClock', method: 'POST', name: 'clock', handler: advanceClockRoute },
  { operationId: 'setClockScale', method: 'POST', name: 'clock/scale', handler: setClockScaleRoute },
] as const satisfies readonly ControlRoute[]

export const advanceSchema = z.strictObject({ advance_ms: z.number().check(z.nonnegative()) })
export const scaleSchema = z.strictObject({ scale: z.number().check(z.nonnegative(), z.maximum(LARGEST_SCALE)) })

/** The clock as the control API shows it. */
export function clockJson(clock: RunningClock): { mode: string; now_ms: number; scale?: number } {
  const { mode, speed } = clock
  return { mode, now_ms: clock.now(), ...(speed === undefined ? {} : { scale: speed.scale() }) }
}

async function advanceClockRoute(service: Service, { req, env }: AppContext): Promise<Response> {
  const { clock } = service
  const body = await readControlBody({ req, env }, advanceSchema)
  if (!body.ok) return body.errorResponse
  env.work.park() // time would wait for this very request
  try {
    const isPaused = clock.speed?.scale() === 0
    const happened = await (isPaused
      ? stepPaused(service, body.value.advance_ms)
      : clock.advance(body.value.advance_ms))
    return jsonResponse(200, {
      now_ms: clock.now(),
      happened: happened.map(({ at, afterMs, ...rest }) => ({ at_ms: at, after_ms: afterMs, ...rest })),
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return error instanceof TypeError ? errorResponses.invalid(message) : errorResponses.conflict(message)
  } finally {
    env.work.resume()
  }
}

async function setClockScaleRoute({ clock }: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody({ req, env }, scaleSchema)
  if (!body.ok) return body.errorResponse
  if (clock.speed === undefined) {
    return errorResponses.conflict(`The clock is ${clock.mode}: its time does not pass by itself, so it has no speed.`)
  }
  clock.speed.setScale(body.value.scale)
  return jsonResponse(200, clockJson(clock))
}
