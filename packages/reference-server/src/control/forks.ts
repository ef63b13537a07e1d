import * as z from 'zod/mini'
import { toWire } from './job-row.ts'
import { conflict, get, notFound, post, remove } from './route.ts'

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
