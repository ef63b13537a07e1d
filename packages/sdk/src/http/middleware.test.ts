import { describe, expect, test } from 'vitest'
import { ConnectionError } from '../errors/transport-errors.ts'
import { caught } from '../testing/caught.ts'
import { broken, json, text } from '../testing/scripted-service.ts'
import { API_KEY, createTestClient } from '../testing/test-client.ts'
import type { Middleware, MiddlewareContext } from './middleware.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }

describe('a middleware', () => {
  test('wraps each attempt, the first one outermost', async () => {
    const steps: string[] = []
    const named =
      (name: string): Middleware =>
      async (request, next) => {
        steps.push(`${name} in`)
        const response = await next(request)
        steps.push(`${name} out ${response.status}`)
        return response
      }
    const { client, clock } = createTestClient([text(500, ''), json(200, MODELS)], {
      middleware: [named('outer'), named('inner')],
    })
    await clock.run(client.models.list())
    const attempt = (status: number) => ['outer in', 'inner in', `inner out ${status}`, `outer out ${status}`]
    expect(steps).toEqual([...attempt(500), ...attempt(200)])
  })

  test('knows the method, the path and the number of the attempt', async () => {
    const contexts: MiddlewareContext[] = []
    const watch: Middleware = (request, next, context) => {
      contexts.push(context)
      return next(request)
    }
    const { client, clock } = createTestClient([text(500, ''), json(200, MODELS)], { middleware: [watch] })
    await clock.run(client.models.list({ limit: 5 }))
    expect(contexts).toEqual([
      { method: 'GET', path: '/v1/models', attempt: 1 },
      { method: 'GET', path: '/v1/models', attempt: 2 },
    ])
  })

  test('changes the request and the response', async () => {
    const change: Middleware = async (request, next) => {
      const headers = new Headers(request.headers)
      headers.set('x-trace', 'abc')
      await next(new Request(request, { headers }))
      return Response.json({ ...MODELS, total: 7 })
    }
    const { client, service } = createTestClient([json(200, MODELS)], { middleware: [change] })
    await expect(client.models.list()).resolves.toMatchObject({ total: 7 })
    expect(service.received[0]?.headers.get('x-trace')).toBe('abc')
    expect(service.received[0]?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`)
  })

  test('that throws before the request leaves is a connection that never was: the run is not sent', async () => {
    const reject: Middleware = () => {
      throw new Error('no token for the proxy')
    }
    const { client, service } = createTestClient([json(200, {})], { middleware: [reject], maxRetries: 0 })
    const error = await caught(client.run('aurora-image', {}), ConnectionError)
    expect(error).toMatchObject({ submission: 'not_sent', cause: { message: 'no token for the proxy' } })
    expect(service.received).toHaveLength(0)
  })

  test('that throws after the request left leaves the run unknown, and it is not sent again', async () => {
    const fail: Middleware = async (request, next) => {
      await next(request)
      throw new Error('cannot read the response')
    }
    const { client, service } = createTestClient([json(200, {})], { middleware: [fail] })
    const error = await caught(client.run('aurora-image', {}), ConnectionError)
    expect(error.submission).toBe('unknown')
    expect(service.received).toHaveLength(1)
  })

  test('that fails like a connection after the response came does not have the run sent again', async () => {
    const audit: Middleware = async (request, next) => {
      await next(request)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('audit'), { code: 'ECONNREFUSED' }) })
    }
    const { client, service, clock } = createTestClient([json(202, {})], { middleware: [audit] })
    const error = await caught(clock.run(client.submit('aurora-image', {})), ConnectionError)
    expect(error.submission).toBe('unknown')
    expect(service.received).toHaveLength(1)
  })

  test.each([
    [['ECONNRESET', 'ECONNREFUSED'], 'unknown', 2],
    [['ECONNREFUSED', 'ECONNRESET'], 'unknown', 2],
    [['ECONNREFUSED', 'ECONNREFUSED'], 'not_sent', 6],
  ])('that sends again by itself, and gets %j, leaves the run %s', async (codes, submission, count) => {
    const retry: Middleware = (request, next) => next(request).catch(() => next(request))
    const steps = [...codes, 'ECONNREFUSED'].map((code) => broken(code))
    const { client, service, clock } = createTestClient(steps, { middleware: [retry] })
    const error = await caught(clock.run(client.submit('aurora-image', {})), ConnectionError)
    expect(error.submission).toBe(submission)
    expect(service.received).toHaveLength(count)
  })

  test('may read the body, compress it, or replace it', async () => {
    const bodies: unknown[] = []
    const read: Middleware = async (request, next) => {
      bodies.push(await request.text())
      return await next(request)
    }
    const compress: Middleware = (request, next) =>
      next(new Request(request, { body: new Uint8Array([0x1f, 0x8b, 0xff]), headers: { 'content-encoding': 'gzip' } }))
    const { client } = createTestClient([], {
      middleware: [read, compress],
      fetch: async (url, init) => {
        bodies.push([...new Uint8Array(await new Request(url, init).arrayBuffer())], init.headers)
        return Response.json({ job_id: 'job_1', request_id: 'r', model_id: 'aurora-image', status: 'queued' })
      },
    })
    await client.submit('aurora-image', {})
    expect(bodies).toEqual(['{"input":{},"sync":false}', [0x1f, 0x8b, 0xff], { 'content-encoding': 'gzip' }])
  })

  test('decides on the signal, credentials and the like, but not on redirects', async () => {
    const received: RequestInit[] = []
    const { signal } = new AbortController()
    const { client } = createTestClient([], {
      middleware: [(request, next) => next(new Request(request, { signal, keepalive: true, redirect: 'follow' }))],
      fetchOptions: { keepalive: false, credentials: 'omit' },
      fetch: async (_, init) => {
        received.push(init)
        return Response.json(MODELS)
      },
    })
    await client.models.list()
    expect(received).toMatchObject([{ keepalive: true, credentials: 'omit', redirect: 'manual', cache: 'no-store' }])
  })
})
