import { serve } from '@hono/node-server'
import express, { type RequestHandler } from 'express'
import express4 from 'express-4'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { createInbox, type Inbox } from 'modelrun/webhooks'
import { expect, test, vi } from 'vitest'
import { startReceiver } from '../webhook-receiver.ts'
import { type StartedApp, testRecipe } from './test-recipe.ts'

const DELIVERY = { job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } }

testRecipe({ name: 'node:http', start: (inbox) => startReceiver(inbox.node()) })

for (const [version, create] of [
  ['Express 5', express],
  ['Express 4', express4],
] as const) {
  const parsers: [string, RequestHandler][] = [
    ['json', create.json()],
    ['json of any type', create.json({ type: '*/*' })],
    ['raw', create.raw({ type: '*/*' })],
    ['text', create.text({ type: '*/*' })],
    ['urlencoded', create.urlencoded({ extended: true })],
  ]
  testRecipe({ name: version, start: (inbox) => startReceiver(create().post('/webhooks', inbox.node())) })
  for (const [parser, handler] of parsers) {
    testRecipe({
      name: `${version} after the body parser ${parser}`,
      start: (inbox) => startReceiver(create().use(handler).post('/webhooks', inbox.node())),
    })
  }
  testRecipe({
    name: `${version} in a router`,
    start: (inbox) => {
      const router = create.Router().post('/', inbox.node())
      return startReceiver(create().use(create.json()).use('/webhooks', router))
    },
  })
}

/** As in the guide. */
function mountFastify(app: FastifyInstance, inbox: Inbox, path = '/webhooks'): void {
  const receive = inbox.node()
  app.post(path, async (request, reply) => {
    reply.hijack()
    await receive(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
}

const FASTIFY: Record<string, (app: FastifyInstance, inbox: Inbox) => unknown> = {
  'Fastify 5': mountFastify,
  'Fastify 5 with hooks that wait, in a plugin': async (app, inbox) => {
    app.addHook('onSend', async (_request, _reply, payload) => {
      await new Promise((resolve) => setImmediate(resolve))
      return payload
    })
    await app.register(async (plugin) => mountFastify(plugin, inbox, '/'), { prefix: '/webhooks' })
  },
  'Fastify 5 with a parser that keeps bytes': (app, inbox) => {
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    app.removeContentTypeParser('application/json')
    mountFastify(app, inbox)
  },
}

for (const [name, mount] of Object.entries(FASTIFY)) {
  testRecipe({
    name,
    start: async (inbox) => {
      const app = fastify()
      await mount(app, inbox)
      const address = await app.listen({ port: 0, host: '127.0.0.1' })
      return { url: `${address}/webhooks`, close: () => app.close() }
    },
  })
}

function startHono(app: Hono): Promise<StartedApp> {
  const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
  return new Promise((resolve) => {
    const server = serve(options, ({ port }) => {
      resolve({ url: `http://127.0.0.1:${port}/webhooks`, close: () => server.close() })
    })
  })
}

testRecipe({
  name: 'Hono',
  start: (inbox) => startHono(new Hono().post('/webhooks', (c) => inbox.handle(c.req.raw))),
})

testRecipe({
  name: 'Hono after a middleware that reads the body, which Hono keeps',
  start: (inbox) => {
    const app = new Hono()
    app.use(async (c, next) => {
      await c.req.text()
      await next()
    })
    app.post('/webhooks', async (c) =>
      inbox.handle(new Request(c.req.url, { method: 'POST', body: await c.req.text() })),
    )
    return startHono(app)
  },
})

test('keeps the exact body where an application verifies others by it', async () => {
  const onFailed = vi.fn()
  const app = express()
  const verify = (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody })
  app.use(express.json({ verify }))
  const client = { jobs: { get: async () => DELIVERY } }
  app.post('/webhooks', createInbox({ client, onFailed }).node())
  const { url, close } = await startReceiver(app)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(DELIVERY), headers })
  expect(response.status).toBe(202)
  await expect.poll(() => onFailed.mock.calls[0]?.[0]).toEqual(DELIVERY)
  close()
})

test('says what is wrong when something else has read the body', async () => {
  const app = express()
  app.use(async (request, _response, next) => {
    for await (const _ of request);
    next()
  })
  app.post('/webhooks', createInbox({ client: { jobs: { get: async () => DELIVERY } } }).node())
  const { url, close } = await startReceiver(app)
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(DELIVERY) })
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('as `express.json()` does')])
  close()
})
