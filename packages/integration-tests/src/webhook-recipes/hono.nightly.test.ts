import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createInbox } from 'modelrun/webhooks'
import { expect, test, vi } from 'vitest'
import { type StartedApp, testRecipe } from './test-recipe.ts'

const DELIVERY = { job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } }

function start(app: Hono): Promise<StartedApp> {
  const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
  return new Promise((resolve) => {
    const server = serve(options, ({ port }) => {
      resolve({ url: `http://127.0.0.1:${port}/webhooks`, close: () => server.close() })
    })
  })
}

testRecipe({
  name: 'Hono',
  start: (inbox) => start(new Hono().post('/webhooks', (c) => inbox.handle(c.req.raw))),
})

testRecipe({
  name: 'Hono after a middleware that reads the body',
  start: (inbox) => {
    const app = new Hono()
    app.use(async (c, next) => {
      await c.req.text()
      await next()
    })
    // Hono keeps what it has read.
    app.post('/webhooks', async (c) =>
      inbox.handle(new Request(c.req.url, { method: 'POST', body: await c.req.text() })),
    )
    return start(app)
  },
})

test('Hono: says at once what is wrong when the body was read before', async () => {
  const inbox = createInbox({ client: { jobs: { get: async () => DELIVERY } } })
  const app = new Hono()
  app.post('/webhooks', async (c) => {
    await c.req.json()
    return inbox.handle(c.req.raw)
  })
  const response = await app.request('/webhooks', { method: 'POST', body: JSON.stringify(DELIVERY) })
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('has been read already')])
})

test('Hono: hands the work over to a runtime that would end it with the response', async () => {
  const onFailed = vi.fn()
  const inbox = createInbox({ client: { jobs: { get: async () => DELIVERY } }, onFailed })
  const app = new Hono()
  app.post('/webhooks', (c) => inbox.handle(c.req.raw, { waitUntil: (work) => c.executionCtx.waitUntil(work) }))
  const work: Promise<unknown>[] = []
  const context = {
    waitUntil: (promise: Promise<unknown>) => void work.push(promise),
    passThroughOnException() {},
    props: {},
  }
  const request = new Request('http://app.example.com/webhooks', { method: 'POST', body: JSON.stringify(DELIVERY) })
  const response = await app.fetch(request, {}, context)
  expect(response.status).toBe(202)
  await Promise.all(work)
  expect(work).not.toEqual([])
  expect(onFailed).toHaveBeenCalledOnce()
})
