import { findFacts } from './program.mjs'

export default {
  fetch: async (request) => Response.json(await findFacts(...new URL(request.url).searchParams.getAll('url'))),
}
