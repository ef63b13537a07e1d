import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { responseOf } from '../../test/response-of.ts'
import { createReferenceServer } from '../reference-server.ts'

it('a held run leaves no listener on the signal of its request after its response (section 4.3)', async () => {
  const server = createReferenceServer({ clock: 'manual' })
  const request = new Request(`${server.baseUrl}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'x' } }),
  })
  const response = server.transport.handle(request, { transport: 'fetch' })
  await server.clock.advance(1)
  expect(getEventListeners(request.signal, 'abort')).toHaveLength(1)
  await server.clock.advance(10_000)
  expect(responseOf(await response).status).toBe(200)
  expect(getEventListeners(request.signal, 'abort')).toEqual([])
})
