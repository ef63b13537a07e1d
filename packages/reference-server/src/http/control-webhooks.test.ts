import { describe, expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { apiCaller, errorOf } from '../test-kit/api-caller.ts'

const MODEL = 'aurora-image'
const URL = 'https://receiver.test/hook'

function setUp(clock: 'manual' | 'auto') {
  const server = createReferenceServer({ clock, deliver: async () => new Response() })
  return { server, caller: apiCaller(server) }
}

describe('webhooks over the control API', () => {
  it('are delivered as an account wants it', async () => {
    const { server, caller } = setUp('manual')
    const { key } = server.mintKey()
    const how = { deliveries: 2, gap_ms: 50, when: 'after-poll', receiver: { answer: 500 } }
    expect((await caller.post('/_reference/webhooks', { ...how, key })).body).toEqual({ webhook: how })
    const { body } = await apiCaller(server, key).run(MODEL, { webhook_url: URL })
    await server.clock.advance(5_000)
    await apiCaller(server, key).status(body.job_id)
    await server.clock.advance(51)
    const log = await caller.get(`/_reference/deliveries?key=${key}`)
    expect(log.body.deliveries).toMatchObject([{ outcome: 'rejected' }, { outcome: 'rejected' }])
    expect((await caller.get('/_reference/deliveries')).body).toEqual({ deliveries: [] })
  })

  it('are waited for', async () => {
    const { caller } = setUp('auto')
    const { body } = await caller.run(MODEL, { webhook_url: URL })
    const next = await caller.get(`/_reference/deliveries/next?job_id=${body.job_id}`)
    expect(next.body.delivery).toMatchObject({ job_id: body.job_id, outcome: 'delivered', status: 200 })
    const none = await caller.get('/_reference/deliveries/next?timeout_ms=5')
    expect([none.status, errorOf(none).message]).toEqual([404, expect.stringContaining('within 5 ms of real time')])
  })

  it('are refused with a reason', async () => {
    const { caller } = setUp('manual')
    expect((await caller.post('/_reference/webhooks', { deliveries: -1 })).status).toBe(400)
    expect((await caller.post('/_reference/webhooks', { key: 'sk_test_none' })).status).toBe(404)
    expect((await caller.get('/_reference/deliveries/next?key=sk_test_none')).status).toBe(404)
    expect((await caller.get('/_reference/deliveries/next?timeout_ms=soon')).status).toBe(400)
  })
})
