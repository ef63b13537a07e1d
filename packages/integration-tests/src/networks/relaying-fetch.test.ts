import { execFile } from 'node:child_process'
import { createServer, Agent as HttpAgent, request } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type Server } from 'node:net'
import { Worker } from 'node:worker_threads'
import ky, { type KyInstance } from 'ky'
import { type FetchLike, ModelRun, type ModelRunError } from 'modelrun'
import { Agent } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { listenOn } from '../../../kit/test/listen-on.ts'
import { findClosedPort } from '../hostile-service/hostile-server.ts'

const nodeFetch = globalThis.fetch

/** The runs that were delivered: each of them is charged. */
let delivered = 0
/** Responds to GET, and breaks the connection of a POST that it has counted. */
const relay = createServer((incoming, response) => {
  if (incoming.method === 'GET') return response.end()
  return incoming.resume().on('end', () => {
    delivered++
    incoming.socket.resetAndDestroy()
  })
})
const http2Relay = createHttp2Server().on('stream', (stream) => {
  stream.on('error', () => {}).resume()
  stream.on('end', () => {
    delivered++
    stream.close(2)
  })
})
const keptAlive = new HttpAgent({ keepAlive: true, maxSockets: 1 })
let url: string
let http2Url: string
let worker: Worker

beforeAll(async () => {
  url = await start(relay)
  http2Url = await start(http2Relay)
  worker = new Worker(
    `require('node:worker_threads').parentPort.on('message', (url) => fetch(url, { method: 'POST' }).catch(() => {}))`,
    { eval: true },
  )
})

afterAll(async () => {
  keptAlive.destroy()
  await worker.terminate()
  relay.close()
  http2Relay.close()
})

beforeEach(() => {
  delivered = 0
})

const start = async (server: Server) => `http://127.0.0.1:${(await listenOn(server)).port}`

/** Settles when the run was delivered and that has failed. */
const failureOf = (sent: { on(event: 'error', listener: (error: Error) => void): unknown }) =>
  new Promise<never>((_, reject) => sent.on('error', reject))

const arrival = async () => {
  await vi.waitUntil(() => delivered > 0, 100_000)
  throw new Error('no response')
}

/** Ways to deliver a run that the client can see. */
const SEEN: Record<string, (path?: string) => Promise<unknown>> = {
  'a request to another place': () => nodeFetch(url, { method: 'POST' }),
  'a request that is not waited for': () => {
    void nodeFetch(url, { method: 'POST' }).catch(() => {})
    return arrival()
  },
  'a dispatcher': () => new Agent().request({ origin: url, path: '/relay', method: 'POST' }),
  'node:http': () => failureOf(request(url, { method: 'POST' }).end()),
  'a connection of before': async () => {
    await new Promise((resolve) =>
      request(url, { agent: keptAlive }, (response) => response.resume().on('end', resolve)).end(),
    )
    await failureOf(request(url, { method: 'POST', agent: keptAlive }).end())
  },
  'HTTP/2': async (path = '/') => {
    const session = connectHttp2(http2Url)
    await failureOf(session.request({ ':method': 'POST', ':path': path }).end()).finally(() => session.destroy())
  },
  'a socket': () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
    return failureOf(socket)
  },
  'a child process': () => {
    execFile(process.execPath, ['--eval', `fetch('${url}', { method: 'POST' }).catch(() => {})`])
    return arrival()
  },
}

/** A way that nothing reports: the worker was there before. */
const UNSEEN = {
  'a worker': () => {
    worker.postMessage(url)
    return arrival()
  },
}

/** The direct way, to a service that is gone, when the relay has failed. */
const relaying =
  (deliver: () => Promise<unknown>): FetchLike =>
  async (direct, init) =>
    await deliver().then(
      () => expect.unreachable(),
      () => nodeFetch(direct, init),
    )

async function run(fetch: FetchLike | undefined, baseUrl?: string, mine?: KyInstance): Promise<ModelRunError> {
  const client = new ModelRun({
    apiKey: 'sk_test_1',
    baseUrl: baseUrl ?? (await findClosedPort()),
    logLevel: 'off',
    random: () => 0,
    fetch,
    ky: mine,
  })
  // An error of the client, as the expectations find.
  return client.submit('aurora-image', {}).then(
    () => expect.unreachable(),
    (error: unknown) => error as ModelRunError,
  )
}

describe('a run that a relay has delivered before the direct connection was refused is never called unsent', () => {
  test.each(Object.entries({ ...SEEN, ...UNSEEN }))('by a `fetch` of the caller, over %s', async (_, deliver) => {
    const { submission, attempts } = await run(relaying(deliver))
    expect([delivered, submission, attempts.length]).toEqual([1, 'unknown', 1])
  })

  test.each(Object.entries(SEEN))('by a `fetch` of the process, over %s', async (_, deliver) => {
    vi.stubGlobal('fetch', relaying(deliver))
    const { submission, attempts } = await run(undefined)
    expect([delivered, submission, attempts.length]).toEqual([1, 'unknown', 1])
  })

  test('and one that no relay could be reached for is', async () => {
    const nowhere = await findClosedPort()
    vi.stubGlobal(
      'fetch',
      relaying(() => nodeFetch(nowhere, { method: 'POST' })),
    )
    expect(await run(undefined)).toMatchObject({ submission: 'not_sent', attempts: [{}, {}, {}] })
  })
})

describe('when the service rejects what a function sends', () => {
  const rejecting = createServer((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end('{"error":{"code":"RATE_LIMITED","message":"Not so fast."}}')
  })
  let rejectingUrl: string
  beforeAll(async () => {
    rejectingUrl = await start(rejecting)
  })
  afterAll(() => void rejecting.close())

  const AGAIN: Record<string, (path: string) => Promise<unknown>> = {
    'HTTP/2': (path) => SEEN['HTTP/2']?.(path) ?? expect.unreachable(),
    'a socket': () => SEEN['a socket']?.() ?? expect.unreachable(),
    'a child process': () => SEEN['a child process']?.() ?? expect.unreachable(),
    'a new worker': () => {
      new Worker(`fetch('${url}', { method: 'POST' }).catch(() => {})`, { eval: true })
      return arrival()
    },
  }
  const again =
    (deliver: (path: string) => Promise<unknown>): FetchLike =>
    (direct, init) =>
      relaying(() => deliver(new URL(direct).pathname))(direct, init)

  test.each(Object.entries(AGAIN))('a run that left over %s before is unknown, and not sent again', async (_, way) => {
    const byOption = await run(again(way), rejectingUrl)
    expect([delivered, byOption.submission, byOption.isRetryable]).toEqual([1, 'unknown', false])
    delivered = 0
    vi.stubGlobal('fetch', again(way))
    const byGlobal = await run(undefined, rejectingUrl)
    expect([delivered, byGlobal.submission, byGlobal.isRetryable]).toEqual([1, 'unknown', false])
    vi.unstubAllGlobals()
    for (const hook of ['beforeRequest', 'afterResponse']) {
      delivered = 0
      const deliver = async () => void (await way('/v1/models/aurora-image/run').catch(() => {}))
      const byHook = await run(undefined, rejectingUrl, ky.extend({ hooks: { [hook]: [deliver] } }))
      expect([delivered, byHook.submission, byHook.isRetryable]).toEqual([1, 'unknown', false])
    }
  })

  test.each([nodeFetch, (direct: string, init: object) => nodeFetch(direct, init)])(
    'a run that was sent once is rejected, and sent again',
    async (fetch) => {
      expect(await run(fetch, rejectingUrl)).toMatchObject({ submission: 'rejected', attempts: [{}, {}, {}] })
    },
  )

  test('a run that was sent once over HTTP/2, a socket or node:http is rejected', async () => {
    const once: FetchLike[] = [
      (direct, { method }) =>
        new Promise((resolve, reject) => {
          const sent = request(direct, { method }, ({ statusCode }) => resolve(toResponse(statusCode)))
          sent.on('error', reject).end()
        }),
      () =>
        new Promise((resolve) => {
          const socket = connect(Number(new URL(rejectingUrl).port), '127.0.0.1')
          socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
          socket.once('data', () => resolve(toResponse(429)))
          socket.unref()
        }),
      async (direct) => {
        const session = connectHttp2(http2Url)
        const path = new URL(direct).pathname
        await failureOf(session.request({ ':method': 'POST', ':path': path }).end()).catch(() => session.destroy())
        return toResponse(429)
      },
    ]
    for (const fetch of once) expect((await run(fetch, rejectingUrl)).submission).toBe('rejected')
  })

  const toResponse = (status = 500) =>
    Response.json(
      { error: { code: 'RATE_LIMITED', message: 'Not so fast.' } },
      { status, headers: { 'retry-after': '0' } },
    )
})
