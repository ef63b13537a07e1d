import * as z from 'zod/mini'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Service } from '../service/service.ts'
import type { ControlRoute } from './route.ts'

/** Reading time, and moving it on. */
export const CLOCK_ROUTES = [
  {
    operationId: 'readClock',
    method: 'GET',
    name: 'clock',
    handler: ({ clock }) => jsonResponse(200, { mode: clock.mode, now_ms: clock.now() }),
  },
  { operationId: 'advanceClock', method: 'POST', name: 'clock', handler: answerAdvance },
] as const satisfies readonly ControlRoute[]

export const advanceSchema = z.strictObject({ advance_ms: z.number().check(z.nonnegative()) })

async function answerAdvance({ clock }: Service, { req, env }: AppContext): Promise<Response> {
  const body = await readControlBody(req.raw, advanceSchema)
  if (!body.ok) return body.refusal
  env.work.park() // time would wait for this very request
  try {
    const happened = await clock.advance(body.value.advance_ms)
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
