import { createInbox } from 'modelrun/webhooks'
import { findFacts } from './find-facts.mjs'
import { createSharedEngine } from './shared-engine.mjs'

const engine = createSharedEngine()
const handled = []
const onSucceeded = ({ job_id }) => handled.push(job_id)

/** One for each request: what belongs to one request must not be used by another, and nothing starts outside of them. */
const openInbox = () => createInbox({ engine, secret: 'a secret of thirty-two bytes, or more', onSucceeded })

const tasks = {
  facts: async ({ searchParams }) => Response.json(await findFacts(...searchParams.getAll('url'))),
  'callback-url': async ({ searchParams }) => new Response(await openInbox().callbackUrl(searchParams.get('url'))),
  handled: async () => Response.json(handled),
}

/** A program of requests. The last part of the path is the task. */
export default {
  fetch: async (request, _environment, context) => {
    const url = new URL(request.url)
    const task = url.pathname.split('/').at(-1)
    if (task !== 'webhooks') return await tasks[task](url)
    // The runtime ends with the response whatever it does not know of.
    return await openInbox().handle(request, { waitUntil: (work) => context.waitUntil(work) })
  },
}
