import { expect, it } from 'vitest'
import { receiveWebhooks } from './receive-webhooks.ts'

it('hands on what arrives, with method, path, headers and body, and gives the answer back', async () => {
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

it('is known by its public address', async () => {
  const receiver = await receiveWebhooks({ publicUrl: 'https://hooks.example' })
  expect(receiver.url).toBe('https://hooks.example')
  expect(receiver.port).toBeGreaterThan(0)
  await receiver.close()
})

it('answers 404 while nobody expects anything', async () => {
  const receiver = await receiveWebhooks()
  expect((await fetch(receiver.url, { method: 'POST', body: 'x' })).status).toBe(404)
  await receiver.close()
})

it('rejects when the port is taken', async () => {
  const receiver = await receiveWebhooks()
  await expect(receiveWebhooks({ port: receiver.port })).rejects.toThrow('EADDRINUSE')
  await receiver.close()
})
