import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

async function withJob(run: object = { webhook_url: 'https://app.test/hook' }) {
  const server = createReferenceServer({ clock: 'manual' })
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  const caller = apiCaller(server)
  const { job_id } = (await caller.run('aurora-image', run)).body
  const act = (action: string, body = {}) => caller.post(`/_reference/jobs/${job_id}/${action}`, body)
  return { server, act, id: String(job_id) }
}

describe('what is done to a job over the control API', () => {
  it('cancels it, and charges nothing', async () => {
    const { server, act } = await withJob()
    expect((await act('cancel')).body).toMatchObject({ status: 'cancelled', charged: 0 })
    expect((await act('cancel')).status).toBe(409)
    expect(server.credits()).toBe(10_000)
  })

  it('keeps it from ending, until it is ended by hand', async () => {
    const { server, act, id } = await withJob()
    expect((await act('hang')).status).toBe(200)
    await server.clock.advance(1_000_000)
    expect(server.job(id).status).toBe('processing')
    await act('complete')
    expect(server.job(id).status).toBe('succeeded')
    expect((await act('hang')).status).toBe(409)
  })

  it('changes how its result is delivered', async () => {
    const { server, act } = await withJob()
    expect((await act('webhook', { deliveries: 2, delay_ms: 1_000 })).status).toBe(200)
    await server.clock.advance(5_100)
    expect(server.webhooks.deliveries()).toHaveLength(2)
    expect((await act('webhook', { deliveries: 0 })).status).toBe(409)
  })

  it('delivers its result again, and drops what is on its way', async () => {
    const { server, act } = await withJob()
    expect((await act('deliver')).status).toBe(409)
    await server.clock.advance(5_000)
    expect((await act('deliver')).status).toBe(200)
    await server.clock.advance(0)
    expect(server.webhooks.deliveries()).toHaveLength(2)
    await act('deliver', { delay_ms: 1_000 })
    expect((await act('drop')).status).toBe(200)
    await server.clock.advance(2_000)
    expect(server.webhooks.deliveries()).toHaveLength(2)
    expect(server.report().pendingWebhooks).toEqual([])
  })

  it('is rejected where there is no webhook, and no job', async () => {
    const { act } = await withJob({ sync: false })
    expect((await act('webhook')).status).toBe(409)
    expect((await act('deliver')).status).toBe(409)
    const caller = apiCaller(createReferenceServer())
    expect((await caller.post('/_reference/jobs/job_none/cancel', {})).status).toBe(404)
  })
})

describe('the receiver that the server has', () => {
  it('accepts deliveries, also where webhooks at private addresses are rejected', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    server.transport.set({ sendGuarded: async () => Promise.reject(new Error('private')) })
    const caller = apiCaller(server)
    const run = await caller.run('aurora-image', { webhook_url: `${server.baseUrl}/_reference/receiver` })
    expect(run.status).toBe(202)
    await server.clock.advance(5_000)
    expect(server.webhooks.deliveries()).toMatchObject([{ outcome: 'delivered', status: 204 }])
  })
})
