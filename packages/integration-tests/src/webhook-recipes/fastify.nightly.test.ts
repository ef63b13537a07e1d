import fastify, { type FastifyInstance } from 'fastify'
import type { Inbox } from 'modelrun/webhooks'
import { type StartedApp, testRecipe } from './test-recipe.ts'

/** As in the guide. */
function mount(app: FastifyInstance, inbox: Inbox, path = '/webhooks'): void {
  const receive = inbox.node()
  app.post(path, async (request, reply) => {
    reply.hijack()
    await receive(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
}

async function start(app: FastifyInstance): Promise<StartedApp> {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `${address}/webhooks`, close: () => app.close() }
}

testRecipe({
  name: 'Fastify 5',
  start: (inbox) => {
    const app = fastify()
    mount(app, inbox)
    return start(app)
  },
})

testRecipe({
  name: 'Fastify 5 with hooks that wait, in a plugin',
  start: async (inbox) => {
    const app = fastify()
    app.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise((resolve) => setImmediate(resolve))
      return payload
    })
    await app.register(async (plugin) => mount(plugin, inbox, '/'), { prefix: '/webhooks' })
    return await start(app)
  },
})

testRecipe({
  name: 'Fastify 5 with a parser that keeps bytes',
  start: async (inbox) => {
    const app = fastify()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    app.removeContentTypeParser('application/json')
    mount(app, inbox)
    return await start(app)
  },
})
