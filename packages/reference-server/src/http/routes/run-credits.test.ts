import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../../options.ts'
import { createReferenceServer } from '../../reference-server.ts'

const MODEL = 'aurora-image'
const PRICE = 4

function setUp(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'auto', ...options })
  return { server, caller: apiCaller(server) }
}

describe('credits', () => {
  it('are charged once, when the job succeeds (section 1)', async () => {
    const { server, caller } = setUp({ clock: 'manual' })
    const { body } = await caller.run(MODEL, { sync: false })
    expect(server.credits()).toBe(10_000)
    await server.clock.advance(10_000)
    expect(server.credits()).toBe(10_000 - PRICE)
    await caller.status(body.job_id)
    await caller.delete(`/v1/jobs/${String(body.job_id)}`)
    expect(server.credits()).toBe(10_000 - PRICE)
  })

  it('too few of them are a 402 INSUFFICIENT_CREDITS without a job (section 7)', async () => {
    const { caller } = setUp({ credits: PRICE - 1 })
    const response = await caller.run(MODEL)
    expect(response.status).toBe(402)
    expect(errorOf(response)).toEqual({
      code: 'INSUFFICIENT_CREDITS',
      message: 'A run of aurora-image costs 4 credits; 3 are left for new runs.',
    })
  })

  it('too few of them leave the script to the next run', async () => {
    const { server } = setUp()
    const { key } = server.createKey({ credits: PRICE })
    const caller = apiCaller(server, key)
    server.script(MODEL, [{ result: 'hang' }, { result: 'failed', after_ms: 1 }], key)
    const hanging = await caller.run(MODEL, { sync: false })
    expect((await caller.run(MODEL)).status).toBe(402)
    await caller.delete(`/v1/jobs/${String(hanging.body.job_id)}`)
    expect((await caller.run(MODEL)).body.status).toBe('failed')
  })

  it('cannot be overspent by runs at the same time', async () => {
    const { server, caller } = setUp({ credits: 3 * PRICE })
    const responses = await Promise.all(Array.from({ length: 10 }, () => caller.run(MODEL)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 200, 200, 402, 402, 402, 402, 402, 402, 402])
    expect(server.credits()).toBe(0)
  })

  it('come back when a job fails or is cancelled (sections 1 and 4.5)', async () => {
    const { server, caller } = setUp({ clock: 'manual', credits: PRICE })
    server.script(MODEL, [{ result: 'failed', after_ms: 10 }, { result: 'hang' }])
    await caller.run(MODEL, { sync: false })
    expect((await caller.run(MODEL, { sync: false })).status).toBe(402)
    await server.clock.advance(10)
    const { status, body } = await caller.run(MODEL, { sync: false })
    expect(status).toBe(202)
    expect((await caller.run(MODEL, { sync: false })).status).toBe(402)
    await caller.delete(`/v1/jobs/${String(body.job_id)}`)
    expect((await caller.run(MODEL, { sync: false })).status).toBe(202)
  })
})
