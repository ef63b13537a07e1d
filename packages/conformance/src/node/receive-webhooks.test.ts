import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { receiveWebhooks } from './receive-webhooks.ts'

it('hands on what arrives, with method, path, headers and body, and gives the response back', async () => {
  const receiver = await receiveWebhooks()
  const seen: unknown[] = []
  receiver.onRequest(async (request) => {
    const { method, url, headers } = request
    seen.push({ method, path: new URL(url).pathname, type: headers.get('content-type'), body: await request.text() })
    return new Response(null, { status: 202 })
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${receiver.url}/a`, { method: 'POST', headers, body: '{"status":"failed"}' })
  expect(response.status).toBe(202)
  expect(seen).toEqual([{ method: 'POST', path: '/a', type: 'application/json', body: '{"status":"failed"}' }])
  await receiver.close()
})

it('uses its public URL', async () => {
  const receiver = await receiveWebhooks({ publicUrl: 'https://hooks.example' })
  expect(receiver.url).toBe('https://hooks.example')
  await receiver.close()
})

it('responds with 404 while no handler is registered', async () => {
  const receiver = await receiveWebhooks()
  expect((await fetch(receiver.url, { method: 'POST', body: 'x' })).status).toBe(404)
  await receiver.close()
})

it('rejects when the port is taken', async () => {
  const receiver = await receiveWebhooks()
  await expect(receiveWebhooks({ port: Number(new URL(receiver.url).port) })).rejects.toThrow('EADDRINUSE')
  await receiver.close()
})

it('continues after a delivery that breaks off, and after a request that it cannot read', async () => {
  const receiver = await receiveWebhooks()
  let count = 0
  receiver.onRequest(async () => {
    count++
    return new Response()
  })
  for (const head of ['POST / HTTP/1.1\r\ncontent-length: 99', 'TRACE / HTTP/1.1']) {
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.end(`${head}\r\nhost: x\r\nconnection: close\r\n\r\n{`)
    await once(socket.resume(), 'close')
  }
  expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(count).toBe(1)
  await receiver.close()
})
