// What the programs call besides the reference server that they have inside.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Gives a url where nothing listens, and one whose service breaks connections, to `work`. */
export async function withServices(work) {
  const service = createBreakingService()
  try {
    return await work([await findClosedUrl(), await listen(service)])
  } finally {
    await close(service)
  }
}

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

async function close(server) {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/** Where a server listened a moment ago. The system gives out no port that `fetch` blocks. */
export async function findClosedUrl() {
  const server = createServer()
  const url = await listen(server)
  await close(server)
  return url
}

/** Gets every POST and breaks its connection; a GET gets a list of models. Pages of all origins may call it. */
function createBreakingService() {
  let posts = 0
  return createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*, authorization')
    if (request.method === 'POST') {
      posts += 1
      request.socket.resetAndDestroy()
    } else {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ models: [], total: posts, limit: 20, offset: 0 }))
    }
  })
}
