import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, MODEL, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const URL = 'https://receiver.test/hook'

const setUp = (clock: 'manual' | 'auto') => openServer({ clock, deliver: async () => new Response() })

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
    const [{ attemptedAt, finishedAt, ...rest } = {}] = server.webhooks.deliveries(key)
    const [first] = log.body.deliveries as object[]
    expect(first).toEqual({ ...rest, attempted_at_ms: attemptedAt, finished_at_ms: finishedAt })
  })

  it('are waited for', async () => {
    const { caller } = setUp('auto')
    const { body } = await caller.run(MODEL, { webhook_url: URL })
    const next = await caller.post('/_reference/deliveries/next', { job_id: body.job_id })
    expect(next.body.delivery).toMatchObject({ job_id: body.job_id, outcome: 'delivered', status: 200 })
    const none = await caller.post('/_reference/deliveries/next', { timeout_ms: 5 })
    expect([none.status, errorOf(none).message]).toEqual([404, expect.stringContaining('within 5 ms of real time')])
  })

  it.each(['https://reference.modelrun.test', 'http://192.168.0.7:4010', 'http://service:4010/api'])(
    'reach the receiver of the server at %s, also where private addresses are rejected',
    async (url) => {
      const server = createReferenceServer({ clock: 'manual' })
      server.transport.set({ sendGuarded: async () => Promise.reject(new Error('private')) })
      await apiCaller(server).run(MODEL, { webhook_url: `${url}/_reference/receiver` })
      await server.clock.advance(5_000)
      expect(server.webhooks.deliveries()).toMatchObject([{ outcome: 'delivered', status: 204 }])
    },
  )
})
