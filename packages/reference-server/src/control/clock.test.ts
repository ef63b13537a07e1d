import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('the speed of time over the control API', () => {
  it('is paused, stepped and resumed: what falls due in a step happens in order', async () => {
    const server = createReferenceServer({ clock: 'system' })
    server.webhooks.deliver(() => new Response(null, { status: 204 }))
    const caller = apiCaller(server)
    expect((await caller.post('/_reference/clock/scale', { scale: 0 })).body).toMatchObject({ scale: 0 })
    const before = server.clock.now()
    const { job_id } = (await caller.run('aurora-image', { webhook_url: 'https://app.test/hook' })).body
    const { body } = await caller.post('/_reference/clock', { advance_ms: 10_000 })
    expect(body.now_ms).toBe(before + 10_000)
    expect(server.webhooks.deliveries()).toMatchObject([{ job_id, finishedAt: before + 4_000 }])
    expect(server.clock.now()).toBe(before + 10_000)
    await caller.post('/_reference/clock/scale', { scale: 1_000 })
    await expect.poll(() => server.clock.now()).toBeGreaterThan(before + 20_000)
    await server.close()
  })

  it('lets timers that were set before a pause fire after it, as much later', async () => {
    const server = createReferenceServer({ clock: { scale: 100 } })
    const caller = apiCaller(server)
    let firedAt = 0
    const setAt = server.clock.now()
    server.clock.setTimeout(() => {
      firedAt = server.clock.now()
    }, 1_000)
    await caller.post('/_reference/clock/scale', { scale: 0 })
    await new Promise((resolve) => setTimeout(resolve, 50)) // real time, in which it would have fired
    expect(firedAt).toBe(0)
    await caller.post('/_reference/clock/scale', { scale: 100 })
    await expect.poll(() => firedAt).toBeGreaterThanOrEqual(setAt + 1_000)
    await server.close()
  })

  it('is a 409 to move time that passes by itself', async () => {
    const response = await apiCaller(createReferenceServer()).post('/_reference/clock', { advance_ms: 1 })
    const error = { code: 'CONFLICT', message: expect.stringContaining("'manual'") }
    expect([response.status, errorOf(response)]).toEqual([409, error])
  })
})
