import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'

it('a reader that closes its connection takes no delivery', async () => {
  const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
  let arrived = () => {}
  let noticed = () => {}
  const arrival = new Promise<void>((resolve) => (arrived = resolve))
  const departure = new Promise<void>((resolve) => (noticed = resolve))
  const handle: typeof server.transport.handle = (request, context) => {
    request.signal.addEventListener('abort', noticed)
    const response = server.transport.handle(request, context)
    arrived()
    return response
  }
  const listening = await listenInTest({ transport: { ...server.transport, handle } })
  const reader = new AbortController()
  const left = fetch(`${listening.url}/_reference/deliveries/next`, {
    method: 'POST',
    body: '{"timeout_ms": 600000}',
    signal: reader.signal,
  }).catch((error: Error) => error.name)
  await arrival
  reader.abort()
  expect(await left).toBe('AbortError')
  await departure

  const { body } = await apiCaller(server).run('aurora-image', { webhook_url: 'https://receiver.test/hook' })
  await server.clock.advance(60_000)
  const next = await fetch(`${listening.url}/_reference/deliveries/next`, { method: 'POST' })
  expect([next.status, await next.json()]).toMatchObject([200, { delivery: { job_id: body.job_id } }])
})
