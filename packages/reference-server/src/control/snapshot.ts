import * as z from 'zod/mini'
import { readBytes } from '../http/read-json-body.ts'
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts'
import { takeSnapshot } from '../snapshot/take-snapshot.ts'
import { toWire } from './job-row.ts'
import { CONTROL_PREFIX, conflict, get, invalid, notFound, post, remove, requireValid } from './route.ts'

const ADVICE = `Send what GET ${CONTROL_PREFIX}/snapshot gave, as JSON.`

/** The whole state, to keep and to go back to. */
export const SNAPSHOT_ROUTES = [
  get('takeSnapshot', 'snapshot', (service) => takeSnapshot(service)),
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

/** Other servers that continue from the state of this one. */
export const FORK_ROUTES = [
  post('openFork', 'forks').taking(z.strictObject({}), async ({ forks }) => {
    if (forks === undefined) throw conflict('This server does not listen at an address of its own. Use server.fork().')
    const { isFull, limit } = forks.served
    if (isFull) throw conflict(`${limit} forks are running, and there may be no more. Stop one first.`)
    return toWire(await forks.open())
  }),
  get('listForks', 'forks', ({ forks }) => ({
    forks: (forks?.served.list() ?? []).map(toWire),
    fork_of: forks?.served.of,
  })),
  remove('stopForks', 'forks', async ({ forks }, { req }) => {
    const id = req.query('id')
    const stopped = (await forks?.served.stop(id)) ?? 0
    if (id !== undefined && stopped === 0) throw notFound(`This server has no fork ${JSON.stringify(id.slice(0, 60))}.`)
    return { stopped }
  }),
]
