import { ConfigurationError } from '@modelrun/kit'
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { takeSnapshot } from '../snapshot/take-snapshot.ts'
import { readBytes } from '../wire/read-json-body.ts'
import { CONTROL_PREFIX, conflict, get, invalid, post, requireValid } from './route.ts'

const ADVICE = `Send what GET ${CONTROL_PREFIX}/snapshot gave, as JSON.`

/** The whole state, to keep and to go back to. */
export const SNAPSHOT_ROUTES = [
  get('takeSnapshot', 'snapshot', (service) => {
    try {
      return takeSnapshot(service)
    } catch (error) {
      throw error instanceof ConfigurationError ? conflict(error.message) : error
    }
  }),
  post('restoreSnapshot', 'restore').reading(async (service, { req }) => {
    // Not as other bodies: a state may be larger than any request of the service.
    const bytes = await readBytes(req.raw, Number.POSITIVE_INFINITY)
    requireValid(restoreSnapshot(service, parseBody(bytes)))
    return { now_ms: service.clock.now() }
  }),
]

function parseBody(bytes: Awaited<ReturnType<typeof readBytes>>): unknown {
  try {
    return JSON.parse(typeof bytes === 'string' ? '' : new TextDecoder().decode(bytes))
  } catch {
    throw invalid(`The body is not JSON. ${ADVICE}`)
  }
}
