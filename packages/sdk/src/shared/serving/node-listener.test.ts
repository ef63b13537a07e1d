import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { text as readAll } from 'node:stream/consumers'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { listenOn } from '../../../../kit/test/listen-on.ts'
import { serveInTest } from '../../../../kit/test/serve-in-test.ts'
import { createManualClock, settle } from '../../../test/manual-clock.ts'
import { gate, SECRET } from '../../../test/test-inbox.ts'
import { createInbox } from '../../webhooks/inbox.ts'
import { parseWebhook, WEBHOOK_BODY } from '../../webhooks/parse-webhook.ts'
import type { Delivery } from '../../webhooks/receive-delivery.ts'
import { createNodeListener, type NodeRequest, type ServedRequest } from './node-listener.ts'

const delivery = fixtures.webhooks.succeeded.body
const TEXT = JSON.stringify(delivery)

test.each(['HTTP/1', 'HTTP/2'])('knows over %s when the client has left', async (protocol) => {
  const { opened, open } = gate()
  const asked: ServedRequest[] = []
  const listener = createNodeListener(
    async (request) => {
      asked.push(request)
      await opened
      return new Response()
    },
    { body: WEBHOOK_BODY },
  )
  const isFirst = protocol === 'HTTP/1'
  const server = isFirst ? createServer(listener) : createHttp2Server(listener)
  const { port, close } = await listenOn(server)
  const url = `http://127.0.0.1:${port}`
  const request = isFirst ? httpRequest(url).end() : connect(url).request()
  request.on('error', () => {})
  await vi.waitFor(() => expect(asked[0]?.hasLeft()).toBe(false), { timeout: 100_000 })
  request.destroy()
  await vi.waitFor(() => expect(asked[0]?.hasLeft()).toBe(true), { timeout: 100_000 })
  open()
  await close()
})

/** An inbox behind a listener, and what its handler saw. */
async function openInbox() {
  const onSucceeded = vi.fn()
  const inbox = createInbox({ secret: SECRET, onSucceeded })
  const url = await inbox.callbackUrl(await serveInTest(inbox.node()))
  const post = async (body: BodyInit) => {
    const response = await fetch(url, { method: 'POST', body })
    return { status: response.status, message: await response.text() }
  }
  return { inbox, onSucceeded, url, post }
}

describe('the listener for node:http', () => {
  test('takes a delivery and responds at once (section 6)', async () => {
    const { inbox, onSucceeded, post } = await openInbox()
    await expect(post(TEXT)).resolves.toEqual({ status: 202, message: '{"message":"accepted"}' })
    await inbox.waitFor(delivery.job_id)
    expect(onSucceeded).toHaveBeenCalledWith(delivery, expect.objectContaining({ attempt: 1 }))
    await expect(post(TEXT)).resolves.toMatchObject({ status: 202 })
    await inbox.drain()
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('joins the chunks of a body, whatever characters they cut', async () => {
    const { inbox, onSucceeded, url } = await openInbox()
    const bytes = Buffer.from(JSON.stringify({ ...delivery, note: '€' }))
    const sending = httpRequest(url, { method: 'POST' })
    const [middle, end] = [bytes.indexOf('€') + 1, bytes.length]
    sending.write(bytes.subarray(0, middle))
    await new Promise((resolve) => sending.write('', resolve))
    sending.end(bytes.subarray(middle, end))
    const [response] = await once(sending, 'response')
    expect(response.statusCode).toBe(202)
    response.resume()
    await inbox.drain()
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ note: '€' })
  })

  test('responds with 405 to a GET', async () => {
    const { url } = await openInbox()
    const response = await fetch(url)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('survives a sender that leaves in the middle of the body', async () => {
    const served = vi.fn(createInbox({ secret: SECRET }).node())
    const url = await serveInTest(served)
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-length': 1_000 } })
    sending.on('error', () => {})
    sending.write('{"job_id"', () => sending.destroy())
    await expect.poll(() => served.mock.settledResults).toMatchObject([{ type: 'fulfilled' }])
  })
})

describe('the way to receive', () => {
  /** Gives each delivery to `receive`, which responds with the job or the problem. */
  async function openListener(prepare: (request: IncomingMessage & NodeRequest) => unknown = () => {}) {
    const clock = createManualClock()
    const deliveries: Delivery[] = []
    const receive = async (delivery: Delivery) => {
      deliveries.push(delivery)
      try {
        return new Response((await parseWebhook(await delivery.readBody())).job_id)
      } catch (error) {
        // What `readBody` and `parseWebhook` throw.
        const { message, status } = error as Error & { status: number }
        return new Response(message, { status })
      }
    }
    const node = createNodeListener(receive, { body: WEBHOOK_BODY, clock })
    const origin = await serveInTest(async (request, response) => {
      await prepare(request)
      await node(request, response)
    })
    return { url: `${origin}/hook`, deliveries, clock }
  }

  test('passes the url that the sender used, also when a router cut off its own path', async () => {
    const { url, deliveries } = await openListener((request) =>
      Object.assign(request, request.url?.includes('all') ? { originalUrl: '/all/hook?t=1' } : {}),
    )
    for (const query of ['token=1', 'all']) await fetch(`${url}?${query}`, { method: 'POST', body: TEXT })
    expect(deliveries).toMatchObject([{ method: 'POST', url: '/hook?token=1' }, { url: '/all/hook?t=1' }])
  })

  test('gives up a body that is not there after 3 s, responds with 408 and closes', async () => {
    const { url, clock } = await openListener()
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-length': 1_000 } })
    const onResponse = vi.fn()
    sending.on('response', onResponse)
    const responded = once(sending, 'response')
    sending.write('{"job_id"')
    while (clock.timerCount === 0) await settle()
    await clock.advance(2_999)
    expect(onResponse).not.toHaveBeenCalled()
    await clock.advance(1)
    const [response] = await responded
    expect([response.statusCode, response.headers.connection]).toEqual([408, 'close'])
    sending.on('error', () => {})
    sending.destroy()
  })

  test('responds also when another reader has started on the body', async () => {
    const { url, clock } = await openListener((request) => void request.on('data', () => {}).pause())
    const responded = fetch(url, { method: 'POST', body: TEXT })
    const response = await clock.run(responded)
    expect([200, 400, 408]).toContain(response.status)
  })

  /** A body parser. */
  const parser = (make: (text: string) => object) => async (request: IncomingMessage) =>
    Object.assign(request, make(await readAll(request)))

  test.each<[string, (request: IncomingMessage) => unknown, Record<string, string>?]>([
    ['an object of a parser', parser((text) => ({ body: JSON.parse(text) }))],
    ['text of a parser', parser((body) => ({ body }))],
    ['bytes of a parser', parser((text) => ({ body: Buffer.from(text) }))],
    ['what a parser has unpacked', parser((text) => ({ body: JSON.parse(text) })), { 'content-encoding': 'gzip' }],
    ['the bytes before they were parsed', parser((text) => ({ rawBody: Buffer.from(text), body: { is: 'lossy' } }))],
    ['a body that a parser left alone, when it set an empty object', (request) => Object.assign(request, { body: {} })],
  ])('takes %s', async (_, parse, headers = {}) => {
    const { url } = await openListener(parse)
    const response = await fetch(url, { method: 'POST', body: TEXT, headers })
    await expect(response.text()).resolves.toBe(delivery.job_id)
  })

  test.each<[string, (request: IncomingMessage) => unknown, string, Record<string, string>?]>([
    ['was read and not stored', parser(() => ({})), 'Let a body parser keep'],
    ['a parser made an empty object of', parser(() => ({ body: {} })), 'job_id'],
    ['is compressed with gzip', () => {}, '"gzip"', { 'content-encoding': 'gzip' }],
    ['is compressed with br', () => {}, '"br"', { 'content-encoding': 'br' }],
  ])('responds with 400, and does not hang, to a body that %s', async (...row) => {
    const [, parse, problem, headers = {}] = row
    const { url } = await openListener(parse)
    const response = await fetch(url, { method: 'POST', body: TEXT, headers })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(problem)])
  })

  test('sends nothing when another handler has responded', async () => {
    const receive = vi.fn(async () => new Response('late'))
    const node = createNodeListener(receive, { body: WEBHOOK_BODY })
    const done = vi.fn()
    const url = await serveInTest((request, response) => {
      response.writeHead(503).end('time is up')
      void node(request, response).then(done)
    })
    const response = await fetch(url, { method: 'POST', body: TEXT })
    expect([response.status, await response.text()]).toEqual([503, 'time is up'])
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce(), { timeout: 100_000 })
  })

  test('keeps the connection for the next delivery when the body was read', async () => {
    const { url } = await openListener()
    const response = await fetch(url, { method: 'POST', body: TEXT })
    expect(response.headers.get('connection')).toBe('keep-alive')
  })
})
