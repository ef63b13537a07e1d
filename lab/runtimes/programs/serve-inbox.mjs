/** Lets an inbox receive on a port, as each runtime does it. */
export async function serveInbox(inbox) {
  if (globalThis.Bun !== undefined) return serveOnBun(inbox)
  if (globalThis.Deno !== undefined) return serveOnDeno(inbox)
  return await serveOnNode(inbox)
}

function serveOnBun(inbox) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => inbox.handle(request) })
  return { url: `http://127.0.0.1:${server.port}/webhooks`, close: () => server.stop(true) }
}

function serveOnDeno(inbox) {
  const options = { port: 0, hostname: '127.0.0.1', onListen: () => {} }
  const server = Deno.serve(options, (request) => inbox.handle(request))
  return { url: `http://127.0.0.1:${server.addr.port}/webhooks`, close: () => server.shutdown() }
}

async function serveOnNode(inbox) {
  const { createServer } = await import('node:http')
  const server = createServer(inbox.node())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/webhooks`, close: () => server.close() }
}
