import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { takeSnapshot } from '../snapshot/take-snapshot.ts'
import { CONTROL_PREFIX, get, invalid, post, requireValid } from './route.ts'

const ADVICE = `Send what GET ${CONTROL_PREFIX}/snapshot gave, as JSON.`

/** The whole state, to keep and to go back to. */
export const SNAPSHOT_ROUTES = [
  get('takeSnapshot', 'snapshot', (service) => takeSnapshot(service)),
  post('restoreSnapshot', 'restore').reading(async (service, { req }) => {
    // Not as other bodies: a state may be larger than any request of the service.
    const body: unknown = await req.raw.json().catch(() => {
      throw invalid(`The body is not JSON. ${ADVICE}`)
    })
    requireValid(restoreSnapshot(service, body))
    return { now_ms: service.clock.now() }
  }),
]
