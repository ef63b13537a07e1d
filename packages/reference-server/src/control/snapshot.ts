import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import type { Service } from '../service/service.ts'
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { takeSnapshot } from '../snapshot/take-snapshot.ts'
import { CONTROL_PREFIX, type ControlRoute } from './route.ts'

/** The whole state, to keep and to go back to. */
export const SNAPSHOT_ROUTES = [
  {
    operationId: 'takeSnapshot',
    method: 'GET',
    name: 'snapshot',
    handler: (service) => jsonResponse(200, takeSnapshot(service)),
  },
  { operationId: 'restoreSnapshot', method: 'POST', name: 'restore', handler: restoreSnapshotRoute },
] as const satisfies readonly ControlRoute[]

const ADVICE = `Send what GET ${CONTROL_PREFIX}/snapshot gave, as JSON.`

// Not as other bodies: a state may be larger than any request of the service.
async function restoreSnapshotRoute(service: Service, { req }: AppContext): Promise<Response> {
  const body = await req.raw.json().then(
    (value: unknown) => ({ value }),
    () => undefined,
  )
  if (body === undefined) return errorResponses.invalid(`The body is not JSON. ${ADVICE}`)
  const restored = restoreSnapshot(service, body.value)
  return restored.ok ? jsonResponse(200, { now_ms: service.clock.now() }) : errorResponses.invalid(restored.message)
}
