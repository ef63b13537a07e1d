import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { fixtures } from '@modelrun/contract/fixtures'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createInbox } from './inbox.ts'
import type { NodeRequest } from './node-listener.ts'

const delivery = fixtures.webhooks.succeeded.body
const TEXT = JSON.stringify(delivery)

let server: Server | undefined

afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

async function listen(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an AddressInfo; a string is the address of a pipe.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/hook`
}

/** An inbox behind a body parser, and what its handler saw. */
async function openInbox(parse?: (request: IncomingMessage & NodeRequest) => Promise<void>) {
  const onSucceeded = vi.fn()
  const inbox = createInbox({ onSucceeded })
  const node = inbox.node()
  const url = await listen(async (request, response) => {
    await parse?.(request)
    await node(request, response)
  })
  const post = async (body: BodyInit) => {
    const response = await fetch(url, { method: 'POST', body })
    return { status: response.status, message: await response.text() }
  }
  return { inbox, onSucceeded, url, post }
}

describe('the listener for node:http', () => {
  test('takes a delivery and answers at once (section 6)', async () => {
    const { inbox, onSucceeded, post } = await openInbox()
    await expect(post(TEXT)).resolves.toEqual({ status: 202, message: '{"message":"accepted"}' })
    await inbox.drain()
    expect(onSucceeded).toHaveBeenCalledWith(delivery, { attempt: 1 })
    await expect(post(TEXT)).resolves.toMatchObject({ status: 200 })
  })

  test.each<[string, (text: string) => unknown]>([
    ['an object', (text) => JSON.parse(text)],
    ['text', (text) => text],
    ['bytes', (text) => Buffer.from(text)],
  ])('takes the body that a parser made as %s', async (_, make) => {
    const { inbox, onSucceeded, post } = await openInbox(async (request) => {
      request.body = make(await readAll(request))
    })
    await expect(post(TEXT)).resolves.toMatchObject({ status: 202 })
    await inbox.drain()
    expect(onSucceeded).toHaveBeenCalledWith(delivery, { attempt: 1 })
  })

  test('reads the body itself when a parser left it alone and set an empty object', async () => {
    const { inbox, onSucceeded, post } = await openInbox(async (request) => {
      request.body = {}
    })
    await expect(post(TEXT)).resolves.toMatchObject({ status: 202 })
    await inbox.drain()
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('answers 400 and does not hang when the body was read and nobody kept it', async () => {
    const { onSucceeded, post } = await openInbox(async (request) => {
      await readAll(request)
    })
    await expect(post(TEXT)).resolves.toEqual({ status: 400, message: expect.stringContaining('If a body parser ran') })
    expect(onSucceeded).not.toHaveBeenCalled()
  })

  test('answers 400 when a parser made an empty object of the body', async () => {
    const { post } = await openInbox(async (request) => {
      await readAll(request)
      request.body = {}
    })
    await expect(post('{}')).resolves.toMatchObject({ status: 400 })
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

  test('answers 400 to a body that is too large, after reading it to its end', async () => {
    const { post } = await openInbox()
    await expect(post('x'.repeat(5_000_000))).resolves.toEqual({
      status: 400,
      message: expect.stringContaining('larger than 262144 bytes'),
    })
  })

  test('answers 405 to a GET', async () => {
    const { url } = await openInbox()
    const response = await fetch(url)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('survives a sender that leaves in the middle of the body', async () => {
    const node = createInbox({}).node()
    const url = await listen((request, response) => {
      server?.emit('answered', node(request, response))
    })
    const answered = server && once(server, 'answered')
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-length': 1_000 } })
    sending.on('error', () => {})
    sending.write('{"job_id"', () => sending.destroy())
    const [answer] = (await answered) ?? []
    await expect(answer).resolves.toBeUndefined()
  })
})
