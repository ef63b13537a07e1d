import { serve } from '@hono/node-server'
import express, { type RequestHandler } from 'express'
import express4 from 'express-4'
import fastify from 'fastify'
import { Hono } from 'hono'
import { ModelRun, NotFoundError } from 'modelrun'
import type { ModelRunProxy } from 'modelrun/proxy'
import { describe, expect, it } from 'vitest'
import { startReceiver } from '../webhook-receiver.ts'
import { authorize, openSetting } from './setting.ts'

/** An application that was started: its origin. */
interface StartedApp {
  url: string
  close(): unknown
}

type Start = (proxy: ModelRunProxy) => Promise<StartedApp>

const PATH = '/api/modelrun'

const expressOf =
  (create: typeof express, parser?: RequestHandler): Start =>
  (proxy) => {
    const app = create()
    if (parser !== undefined) app.use(parser)
    return startReceiver(app.use(PATH, proxy.node()))
  }

const APPS: Record<string, Start> = {
  'node:http': (proxy) => startReceiver(proxy.node()),
  'Express 5': expressOf(express),
  'Express 5 after express.json()': expressOf(express, express.json()),
  'Express 5 after express.text()': expressOf(express, express.text({ type: '*/*' })),
  'Express 5 after express.raw()': expressOf(express, express.raw({ type: '*/*' })),
  'Express 4': expressOf(express4),
  'Express 4 after express.json()': expressOf(express4, express4.json()),
  'Express 5 with a route': (proxy) => startReceiver(express().all(`${PATH}/*path`, proxy.node())),
  'Express 5 in a router': (proxy) => {
    const router = express.Router().use('/modelrun', proxy.node())
    return startReceiver(express().use(express.json()).use('/api', router))
  },
  'Fastify 5': async (proxy) => {
    const serveNode = proxy.node()
    const app = fastify()
    app.all(`${PATH}/*`, async (request, reply) => {
      reply.hijack()
      await serveNode(Object.assign(request.raw, { body: request.body }), reply.raw)
    })
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
  },
  Hono: (proxy) => {
    const app = new Hono().all(`${PATH}/*`, (c) => proxy.handle(c.req.raw))
    return new Promise((resolve) => {
      const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
      const server = serve(options, ({ port }) =>
        resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() }),
      )
    })
  },
}

/** The client of a page of a user, over a socket. */
function pageOf(url: string, user: string): ModelRun {
  const headers = { 'x-user': `Bearer ${user}`, 'sec-fetch-site': 'same-origin' }
  return new ModelRun({ apiKey: 'page', baseUrl: new URL(PATH, url).href, headers, polling: { initialIntervalMs: 10 } })
}

const byHeader = (request: Request) => {
  const authorization = request.headers.get('x-user') ?? ''
  return authorize(new Request(request.url, { headers: { authorization } }))
}

describe.each(Object.entries(APPS))('a proxy in %s', (_, start) => {
  it('lists, reads, runs, polls and cancels for the pages of its users', async () => {
    const setting = openSetting({ authorize: byHeader, budget: { credits: 500 } })
    const app = await start(setting.proxy)
    const [anna, ben] = [pageOf(app.url, 'anna'), pageOf(app.url, 'ben')]
    expect((await anna.models.list({ category: 'text-to-video' })).models).toMatchObject([{ id: 'lumen/aurora-video' }])
    await expect(anna.models.get('lumen/aurora-video')).resolves.toMatchObject({ input_schema: { type: 'object' } })
    const held = await anna.run('aurora-image', { prompt: 'ein Fuchs, 狐' })
    expect(held).toMatchObject({ status: 'succeeded', credits_used: 4 })
    const job = await anna.submit('lumen/aurora-video', { prompt: 'waves' })
    await expect(ben.jobs.get(job.id)).rejects.toThrow(NotFoundError)
    await expect(job.cancel()).resolves.toMatchObject({ status: 'cancelled' })
    await expect(setting.proxy.balance({ user: 'anna' })).resolves.toMatchObject({ used: 4 })
    expect(setting.errors).toEqual([])
    await app.close()
    await setting.close()
  })
})
