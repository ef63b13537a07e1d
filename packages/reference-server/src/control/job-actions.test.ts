import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

async function withJob(run: object = { webhook_url: 'https://app.test/hook' }) {
  const server = createReferenceServer({ clock: 'manual' })
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  const caller = apiCaller(server)
  const { job_id } = (await caller.run('aurora-image', run)).body
  const act = (action: string, body = {}) => caller.post(`/_reference/jobs/${job_id}/${action}`, body)
  return { server, act }
}

describe('what is done to a job over the control API', () => {
  it('cancels it, and charges nothing', async () => {
    const { server, act } = await withJob()
    expect((await act('cancel')).body).toMatchObject({ status: 'cancelled', charged: 0 })
    expect((await act('cancel')).status).toBe(409)
    expect(server.credits()).toBe(10_000)
  })

  it('delivers its result again', async () => {
    const { server, act } = await withJob()
    expect((await act('deliver')).status).toBe(409)
    await server.clock.advance(5_000)
    expect((await act('deliver')).status).toBe(200)
    await server.clock.advance(0)
    expect(server.webhooks.deliveries()).toHaveLength(2)
  })

  it('is rejected where there is no webhook, and no job', async () => {
    const { act } = await withJob({ sync: false })
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
