import { serve } from '@hono/node-server'
import express, { type RequestHandler } from 'express'
import express4 from 'express-4'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import type { Inbox } from 'modelrun/webhooks'
import { startReceiver } from '../webhook-receiver.ts'

/** What an application serves: an inbox at its path, or a proxy at its path and below. */
interface Served {
  path: string
  node: ReturnType<Inbox['node']>
  handle(request: Request): Promise<Response>
}

/** An application that was started. */
interface StartedApp {
  /** The path of what it serves. */
  url: string
  close(): unknown
}

type Start = (served: Served) => Promise<StartedApp>

const expressOf =
  (create: typeof express, ...before: RequestHandler[]): Start =>
  async ({ path, node }) => {
    const app = create()
    for (const handler of before) app.use(handler)
    const { url, close } = await startReceiver(app.use(path, node))
    return { url: new URL(path, url).href, close }
  }

function expressApps(version: string, create: typeof express): [string, Start][] {
  const parsers: [string, RequestHandler][] = [
    ['json', create.json()],
    ['json of any type', create.json({ type: '*/*' })],
    ['raw', create.raw({ type: '*/*' })],
    ['text', create.text({ type: '*/*' })],
    ['urlencoded', create.urlencoded({ extended: true })],
  ]
  const inRouter: Start = async ({ path, node }) => {
    const [, first = '', rest = ''] = /^(\/\w+)(\/?.*)$/.exec(path) ?? []
    const router = create.Router().use(rest || '/', node)
    const { url, close } = await startReceiver(create().use(create.json()).use(first, router))
    return { url: new URL(path, url).href, close }
  }
  return [
    [version, expressOf(create)],
    ...parsers.map(([name, parser]): [string, Start] => [`${version} after ${name}`, expressOf(create, parser)]),
    [`${version} in a router`, inRouter],
  ]
}

const fastifyOf =
  (prepare: (app: FastifyInstance) => unknown = () => {}): Start =>
  async ({ path, node }) => {
    const app = fastify()
    prepare(app)
    for (const route of [path, `${path}/*`]) {
      app.all(route, async (request, reply) => {
        reply.hijack()
        await node(Object.assign(request.raw, { body: request.body }), reply.raw)
      })
    }
    return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}${path}`, close: () => app.close() }
  }

/** @param readsBody whether a middleware has read the body, which Hono keeps */
const honoOf =
  (readsBody: boolean): Start =>
  ({ path, handle }) => {
    const app = new Hono().all(`${path}/*`, async ({ req }) => {
      if (!readsBody || req.method === 'GET' || req.method === 'DELETE') return handle(req.raw)
      return handle(new Request(req.url, { method: req.method, headers: req.raw.headers, body: await req.text() }))
    })
    return new Promise((resolve) => {
      const options = { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
      const server = serve(options, ({ port }) =>
        resolve({ url: `http://127.0.0.1:${port}${path}`, close: () => server.close() }),
      )
    })
  }

/** Ways to put an inbox or a proxy into an application. */
export const FRAMEWORKS: readonly [name: string, start: Start][] = [
  [
    'node:http',
    async ({ path, node }) => {
      const { url, close } = await startReceiver(node)
      return { url: new URL(path, url).href, close }
    },
  ],
  ...expressApps('Express 5', express),
  ...expressApps('Express 4', express4),
  ['Fastify 5', fastifyOf()],
  [
    'Fastify 5 with hooks that wait',
    fastifyOf((app) => {
      app.addHook('onSend', async (_request, _reply, payload) => {
        await new Promise((resolve) => setImmediate(resolve))
        return payload
      })
    }),
  ],
  [
    'Fastify 5 with a parser that keeps bytes',
    fastifyOf((app) => {
      app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
      app.removeContentTypeParser('application/json')
    }),
  ],
  ['Hono', honoOf(false)],
  ['Hono after a middleware that reads the body', honoOf(true)],
]
