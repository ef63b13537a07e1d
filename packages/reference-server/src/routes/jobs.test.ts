import { jobResponseSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

const MODEL = 'aurora-image'

async function withJob(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'manual', ...options })
  const caller = apiCaller(server)
  const { body } = await caller.run(MODEL, { sync: false })
  const path = `/v1/jobs/${String(body.job_id)}`
  return { server, caller, path, jobId: String(body.job_id) }
}

describe('GET /v1/jobs/{id}', () => {
  it('wraps the status in data, and nothing else while the job is unfinished (sections 2.4 and 4.4)', async () => {
    const { server, caller, path } = await withJob()
    expect(await caller.get(path)).toMatchObject({ status: 200, body: { data: { status: 'queued' } } })
    await server.clock.advance(1_000)
    expect((await caller.get(path)).body).toEqual({ data: { status: 'processing' } })
  })

  it('shows how a job ended: its output, its error, or that it was cancelled (sections 2.5, 4.4 and 7)', async () => {
    const { server, caller, path, jobId } = await withJob()
    await server.clock.advance(60_000)
    const items = [{ type: 'image', url: `${server.baseUrl}/files/${jobId}/0.png` }]
    const output = { type: 'image', items }
    expect(jobResponseSchema.parse((await caller.get(path)).body)).toEqual({ data: { status: 'succeeded', output } })
    const failed = await withJob()
    failed.server.job(failed.jobId).fail()
    const error = { code: 'PROVIDER_FAILURE', message: expect.stringContaining(MODEL) }
    expect((await failed.caller.get(failed.path)).body).toEqual({ data: { status: 'failed', error } })
    const cancelled = await withJob()
    await cancelled.caller.delete(cancelled.path)
    expect((await cancelled.caller.get(cancelled.path)).body).toEqual({ data: { status: 'cancelled' } })
  })

  it('asks the provider: a job that only reads end has ended after so many (sections 3 and 4.4)', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const caller = apiCaller(server)
    server.script(MODEL, [{ result: 'succeeded', after_polls: 2 }])
    const { body } = await caller.run(MODEL, { sync: false })
    const statuses = [1, 2, 3, 4].map(() => caller.status(body.job_id))
    expect(await Promise.all(statuses)).toEqual(['processing', 'processing', 'succeeded', 'succeeded'])
  })

  it('responds with 404 NOT_FOUND to an unknown job and to one of another account', async () => {
    const { server, caller, path } = await withJob()
    const otherAccount = apiCaller(server, server.createKey().key)
    for (const response of [
      await caller.get('/v1/jobs/job_none'),
      await otherAccount.get(path),
      await otherAccount.delete(path),
    ]) {
      expect([response.status, errorOf(response).code]).toEqual([404, 'NOT_FOUND'])
    }
    const renewed = apiCaller(server, server.rotateKey(server.apiKey).key)
    expect((await renewed.get(path)).status).toBe(200)
  })
})

describe('DELETE /v1/jobs/{id}', () => {
  it.each([
    ['queued', 0],
    ['processing', 1_000],
  ])('cancels a %s job, free of charge (sections 3 and 4.5)', async (status, afterMs) => {
    const { server, caller, path, jobId } = await withJob()
    await server.clock.advance(afterMs)
    expect(await caller.status(jobId)).toBe(status)
    const response = await caller.delete(path)
    expect(response).toMatchObject({ status: 200, body: { data: { job_id: jobId, status: 'cancelled' } } })
    await server.clock.advance(60_000)
    expect(await caller.status(jobId)).toBe('cancelled')
    expect(server.credits()).toBe(10_000)
  })

  it.each(['succeeded', 'failed', 'cancelled'] as const)(
    'responds with 409 CONFLICT to a %s job (section 3)',
    async (end) => {
      const { server, caller, path, jobId } = await withJob()
      if (end === 'succeeded') await server.clock.advance(4_200) // its status was not read
      if (end === 'failed') server.job(jobId).fail()
      if (end === 'cancelled') await caller.delete(path)
      const left = server.credits()
      const response = await caller.delete(path)
      expect([response.status, errorOf(response)]).toEqual([
        409,
        { code: 'CONFLICT', message: expect.stringContaining(end) },
      ])
      expect(server.job(jobId).status).toBe(end)
      expect(server.credits()).toBe(left)
    },
  )

  it('may be accepted without an effect, for a finished and for an unknown job (sections 3 and 4.5)', async () => {
    const assumptions = { cancelOfFinishedJob: 'accepted', cancelOfUnknownJob: 'accepted', cancelStatus: 202 } as const
    const { server, caller, path, jobId } = await withJob({ assumptions })
    server.job(jobId).complete()
    const shown = { status: 202, body: { data: { job_id: jobId, status: 'succeeded' } } }
    expect(await caller.delete(path)).toMatchObject(shown)
    expect(await caller.delete('/v1/jobs/none')).toMatchObject({ status: 202, body: { data: { job_id: 'none' } } })
  })
})
