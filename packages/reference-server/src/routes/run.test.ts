import { LIMITS, runCompletedSchema } from '@modelrun/contract'
import { describe, expect, it, vi } from 'vitest'
import { MODEL, openServer } from '../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

const PRICE = 4

const setUp = (options: ReferenceServerOptions = {}) =>
  openServer({ clock: 'auto', deliver: async () => new Response(), ...options })

describe('synchronous run', () => {
  it('waits, then responds with 200 and the result (sections 3 and 4.3)', async () => {
    const { server, caller } = setUp()
    const start = server.clock.now()
    const { status, body } = await caller.run(MODEL, { sync: true })
    expect(status).toBe(200)
    const names = ['job_id', 'request_id', 'status', 'model_id', 'output', 'duration_ms', 'credits_used']
    expect(Object.keys(body)).toEqual(names)
    expect(runCompletedSchema.parse(body)).toMatchObject({
      status: 'completed',
      model_id: MODEL,
      output: { type: 'image', items: [{ type: 'image' }] },
      duration_ms: 4_000,
      credits_used: PRICE,
    })
    expect(server.clock.now() - start).toBe(4_000)
    expect(await caller.status(body.job_id)).toBe('succeeded')
  })

  it.each([
    [LIMITS.syncWaitMs, 200],
    [LIMITS.syncWaitMs + 1, 202],
  ])('that takes %i ms responds with %i (sections 3 and 8)', async (after_ms, expected) => {
    const { server, caller } = setUp()
    server.script(MODEL, [{ result: 'succeeded', after_ms }])
    const start = server.clock.now()
    const { status, body } = await caller.run(MODEL)
    expect(status).toBe(expected)
    expect(server.clock.now() - start).toBe(Math.min(after_ms, 55_000))
    expect(body.status).toBe(expected === 200 ? 'completed' : 'processing')
  })

  it('responds at once when the run takes no time', async () => {
    const { server, caller } = setUp({ clock: 'manual' })
    server.script(MODEL, [{ result: 'succeeded', after_ms: 0 }])
    expect((await caller.run(MODEL)).body).toMatchObject({ status: 'completed', duration_ms: 0 })
  })

  it('whose job is cancelled meanwhile responds with 200 (section 4.3)', async () => {
    const { server, caller } = setUp({ clock: 'manual' })
    const pending = caller.run(MODEL)
    await server.clock.advance(1_000)
    const job_id = server.report().unfinishedJobs[0]?.job_id
    await caller.delete(`/v1/jobs/${job_id}`)
    const body = { job_id, request_id: expect.any(String), status: 'cancelled', model_id: MODEL }
    expect(await pending).toMatchObject({ status: 200, body })
    expect(server.credits()).toBe(10_000)
  })

  it('continues when the client goes away, and leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { server, caller } = setUp({ clock: 'system', seed: 1 })
    const abort = new AbortController()
    const pending = caller.run(MODEL, {}, { signal: abort.signal })
    const rejectedBody = expect(pending).rejects.toThrow('no longer needed')
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    abort.abort(new Error('no longer needed'))
    await rejectedBody
    while (vi.getTimerCount() > 0) await new Promise(setImmediate)
    const jobId = server.report().unfinishedJobs[0]?.job_id ?? ''
    expect(server.job(jobId).status).toBe('processing')
    vi.advanceTimersByTime(4_000)
    expect(server.job(jobId).status).toBe('succeeded')
    expect(server.credits()).toBe(10_000 - PRICE)
  })
})
