import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { nextTurn } from '../clock/real-time.ts'
import { createReferenceServer } from '../reference-server.ts'

const MODEL = 'aurora-image'
const URL = 'https://receiver.test/hook'

function setUp(clock: 'manual' | 'auto') {
  const server = createReferenceServer({ clock, deliver: async () => new Response() })
  return { server, caller: apiCaller(server) }
}

describe('webhooks over the control API', () => {
  it('are delivered as an account wants it', async () => {
    const { server, caller } = setUp('manual')
    const { key } = server.createKey()
    const how = { deliveries: 2, gap_ms: 50 }
    expect((await caller.post('/_reference/webhooks', { ...how, key })).body).toEqual({ webhook: how })
    await apiCaller(server, key).run(MODEL, { webhook_url: URL })
    await server.clock.advance(5_000)
    const log = await caller.get(`/_reference/deliveries?key=${key}`)
    expect(log.body.deliveries).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
    expect((await caller.get('/_reference/deliveries')).body).toEqual({ deliveries: [] })
  })

  it('are waited for', async () => {
    const { caller } = setUp('auto')
    const { body } = await caller.run(MODEL, { webhook_url: URL })
    const next = await caller.post('/_reference/deliveries/next', { job_id: body.job_id })
    expect(next.body.delivery).toMatchObject({ job_id: body.job_id, outcome: 'delivered', status: 200 })
    const none = await caller.post('/_reference/deliveries/next', { timeout_ms: 5 })
    expect([none.status, errorOf(none).message]).toEqual([404, expect.stringContaining('within 5 ms of real time')])
  })

  it('are rejected with a reason', async () => {
    const { caller } = setUp('manual')
    expect((await caller.post('/_reference/webhooks', { deliveries: -1 })).status).toBe(400)
    expect((await caller.post('/_reference/webhooks', { key: 'sk_test_none' })).status).toBe(404)
    expect((await caller.post('/_reference/deliveries/next', { key: 'sk_test_none' })).status).toBe(404)
    for (const timeout_ms of ['5', '', null, 1.5, -1, 600_001]) {
      expect((await caller.post('/_reference/deliveries/next', { timeout_ms })).status).toBe(400)
    }
  })

  it('are given to no request that a page could make without a script', async () => {
    const { caller } = setUp('auto')
    await caller.run(MODEL, { webhook_url: URL })
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const response = await caller.call(method, '/_reference/deliveries/next')
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
    expect((await caller.post('/_reference/deliveries/next', {})).status).toBe(200)
  })

  it('stay for the next reader when a reader has disconnected', async () => {
    const { server, caller } = setUp('manual')
    const reader = new AbortController()
    const gone = server
      .fetch('/_reference/deliveries/next', { method: 'POST', signal: reader.signal })
      .catch((error: Error) => error.name)
    await nextTurn() // the reader waits
    reader.abort()
    expect(await gone).toBe('AbortError')
    const { body } = await caller.run(MODEL, { webhook_url: URL })
    await server.clock.advance(60_000)
    const next = await caller.post('/_reference/deliveries/next', { timeout_ms: 5 })
    expect(next.body.delivery).toMatchObject({ job_id: body.job_id })
  })
})
