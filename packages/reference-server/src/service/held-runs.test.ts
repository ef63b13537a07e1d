import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { responseOf } from '../../test/response-of.ts'
import { Activity } from '../clock/activity.ts'
import { createManualClock } from '../clock/create-clock.ts'
import { createReferenceServer } from '../reference-server.ts'
import { Pauses } from './held-runs.ts'

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

function setUp() {
  const clock = createManualClock(0, new Activity())
  return { clock, pauses: new Pauses(clock), client: new AbortController() }
}

it('passes when its time is over', async () => {
  const { clock, pauses, client } = setUp()
  const pause = pauses.pause(100, client.signal)
  await clock.advance(100)
  expect(await pause).toBe(true)
})

it('ends early when the client goes, has gone, or the server closes', async () => {
  const { pauses, client } = setUp()
  const left = pauses.pause(Number.POSITIVE_INFINITY, client.signal)
  client.abort()
  expect(await left).toBe(false)
  expect(await pauses.pause(1, client.signal)).toBe(false)
  const stays = new AbortController()
  const closed = pauses.pause(100, stays.signal)
  pauses.close()
  expect(await closed).toBe(false)
  expect(await pauses.pause(100, stays.signal)).toBe(false)
})
