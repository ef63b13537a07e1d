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

  it('shows the output of a job that succeeded (sections 2.5 and 4.4)', async () => {
    const { server, caller, path, jobId } = await withJob()
    await server.clock.advance(60_000)
    const { body } = await caller.get(path)
    expect(jobResponseSchema.parse(body)).toEqual({
      data: {
        status: 'succeeded',
        output: { type: 'image', items: [{ type: 'image', url: `${server.baseUrl}/files/${jobId}/0.png` }] },
      },
    })
  })

  it('shows the error of a job that failed (sections 4.4 and 7)', async () => {
    const { server, caller, path, jobId } = await withJob()
    server.job(jobId).fail()
    const { body } = await caller.get(path)
    expect(body).toEqual({
      data: { status: 'failed', error: { code: 'PROVIDER_FAILURE', message: expect.stringContaining(MODEL) } },
    })
  })

  it('shows that a job was cancelled (section 3)', async () => {
    const { caller, path } = await withJob()
    await caller.delete(path)
    expect((await caller.get(path)).body).toEqual({ data: { status: 'cancelled' } })
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

  it('responds with 204 without a body when the assumption says so (section 4.5)', async () => {
    const { caller, path } = await withJob({ assumptions: { cancelStatus: 204 } })
    const response = await caller.delete(path)
    expect([response.status, response.text]).toEqual([204, ''])
    expect((await caller.get(path)).body).toEqual({ data: { status: 'cancelled' } })
  })

  it.each(['succeeded', 'failed', 'cancelled'] as const)(
    'responds with 409 CONFLICT to a %s job (section 3)',
    async (end) => {
      const { server, caller, path, jobId } = await withJob()
      if (end === 'succeeded') server.job(jobId).complete()
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

  it('finds the provider done before it cancels', async () => {
    const { server, caller, path } = await withJob()
    await server.clock.advance(4_200)
    expect((await caller.delete(path)).status).toBe(409)
    expect(server.credits()).toBe(9_996)
  })
})
