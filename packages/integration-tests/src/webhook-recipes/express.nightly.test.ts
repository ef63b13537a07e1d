import express, { type Express, type RequestHandler } from 'express'
import express4 from 'express-4'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, test, vi } from 'vitest'
import { startReceiver } from '../webhook-receiver.ts'
import { testRecipe } from './test-recipe.ts'

const DELIVERY = { job_id: 'job_1', status: 'failed', error: { code: 'X', message: 'x' } }

describe.each([
  { version: 'Express 5', createApp: express },
  { version: 'Express 4', createApp: express4 },
])('$version', ({ createApp }) => {
  testRecipe({
    name: 'without a body parser',
    start: (inbox) => startReceiver(createApp().post('/webhooks', inbox.node())),
  })

  const parsers: [string, RequestHandler][] = [
    ['json', createApp.json()],
    ['json of any type', createApp.json({ type: '*/*' })],
    ['raw', createApp.raw({ type: '*/*' })],
    ['text', createApp.text({ type: '*/*' })],
    ['urlencoded', createApp.urlencoded({ extended: true })],
  ]
  for (const [parser, handler] of parsers) {
    testRecipe({
      name: `after the body parser ${parser}`,
      start: (inbox) => startReceiver(createApp().use(handler).post('/webhooks', inbox.node())),
    })
  }

  testRecipe({
    name: 'in a router',
    start: (inbox) => {
      const router = createApp.Router().post('/', inbox.node())
      return startReceiver(createApp().use(createApp.json()).use('/webhooks', router))
    },
  })

  test('keeps the exact body where an application verifies others by it', async () => {
    const onFailed = vi.fn()
    const app: Express = createApp()
    const verify = (request: object, _: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody })
    app.use(createApp.json({ verify }))
    const client = { jobs: { get: async () => DELIVERY } }
    app.post('/webhooks', createInbox({ client, onFailed }).node())
    const { url, close } = await startReceiver(app)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(DELIVERY), headers })
    expect(response.status).toBe(202)
    await vi.waitFor(() => expect(onFailed.mock.calls[0]?.[0]).toEqual(DELIVERY))
    close()
  })

  test('says at once what is wrong when something else has read the body', async () => {
    const app: Express = createApp()
    app.use(async (request, _response, next) => {
      for await (const _ of request);
      next()
    })
    app.post('/webhooks', createInbox({ client: { jobs: { get: async () => DELIVERY } } }).node())
    const { url, close } = await startReceiver(app)
    const signal = AbortSignal.timeout(1_000)
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(DELIVERY), signal })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('as `express.json()` does')])
    close()
  })
})
