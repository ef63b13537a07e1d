import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('clock over the control API', () => {
  it('returns the mode and the time', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { body } = await apiCaller(server).get('/_reference/clock')
    expect(body).toEqual({ mode: 'manual', now_ms: Date.UTC(2026, 0, 1) })
  })

  it('advances time and returns what happened', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const caller = apiCaller(server)
    const { job_id } = (await caller.run('aurora-image', { sync: false })).body
    const { body } = await caller.post('/_reference/clock', { advance_ms: 5_000 })
    const text = `job ${job_id} (aurora-image) succeeded: 4 credits charged`
    const at_ms = Date.UTC(2026, 0, 1) + 4_200
    expect(body).toEqual({
      now_ms: Date.UTC(2026, 0, 1) + 5_000,
      happened: [{ at_ms, after_ms: 4_200, kind: 'job_ended', job_id, text }],
    })
  })

  it('responds to a wrong method with 405 and the two allowed ones', async () => {
    const wrong = await apiCaller(createReferenceServer()).delete('/_reference/clock')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})
