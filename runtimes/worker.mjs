import { createInbox, createMemoryStore } from 'modelrun/webhooks'
import { findFacts } from './program.mjs'

// In memory for this check alone: instances of a worker share nothing, so a real one has Redis or Postgres.
const store = createMemoryStore()
const handled = []
const onSucceeded = ({ job_id }) => handled.push(job_id)

/** One for each request: what belongs to one request must not be used by another, and nothing starts outside of them. */
const openInbox = () => createInbox({ store, secret: 'a secret of thirty-two bytes, or more', onSucceeded })

const routes = {
  '/facts': async ({ searchParams }) => Response.json(await findFacts(...searchParams.getAll('url'))),
  '/callback-url': async () => new Response(await openInbox().callbackUrl('https://worker.example.com/webhooks')),
  '/handled': async () => Response.json(handled),
}

export default {
  fetch: async (request, _environment, context) => {
    const url = new URL(request.url)
    if (url.pathname !== '/webhooks') return await routes[url.pathname](url)
    // The runtime ends with the answer whatever it was not told of.
    return await openInbox().handle(request, { waitUntil: (work) => context.waitUntil(work) })
  },
}
