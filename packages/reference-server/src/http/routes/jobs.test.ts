import { jobResponseSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../../options.ts'
import { createReferenceServer } from '../../reference-server.ts'

const MODEL = 'aurora-image'

async function withJob(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'manual', ...options })
  const caller = apiCaller(server)
  const { body } = await caller.run(MODEL, { sync: false })
  const path = `/v1/jobs/${String(body.job_id)}`
  return { server, caller, path, jobId: String(body.job_id), requestId: body.request_id }
}

const IDENTITY = ['job_id', 'request_id', 'model_id', 'created_at']
const FIELDS = [...IDENTITY, 'completed_at', 'duration_ms', 'credits_used', 'progress']

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

  it('shows more when the assumption says so (section 2.4)', async () => {
    const { server, caller, path, jobId, requestId } = await withJob({ assumptions: { jobFields: FIELDS } })
    const identity = { job_id: jobId, request_id: requestId, model_id: MODEL, created_at: '2026-01-01T00:00:00.000Z' }
    const unknown = { completed_at: null, duration_ms: null, credits_used: null, progress: null }
    expect((await caller.get(path)).body).toEqual({ data: { ...identity, ...unknown, status: 'queued' } })
    await server.clock.advance(60_000)
    expect((await caller.get(path)).body).toEqual({
      data: {
        ...identity,
        completed_at: '2026-01-01T00:00:04.200Z',
        duration_ms: 4_000,
        credits_used: 4,
        progress: null,
        status: 'succeeded',
        output: expect.any(Object),
      },
    })
  })

  it('shows what it does not know as the assumption says, and a time that it knows in that form (section 4.4)', async () => {
    const jobFields = ['/success', 'createdAt', 'completed_at', 'eta_ms', 'links', 'credits_used', 'toString']
    const memberValues = {
      createdAt: 1_700_000_000_000,
      completed_at: 1_700_000_000.5,
      'queued/completed_at': null,
      eta_ms: 300,
      links: { self: '/v1/jobs/a' },
      credits_used: '4.00',
      success: true,
    }
    const { server, caller, path } = await withJob({ assumptions: { jobFields, memberValues } })
    const always = { createdAt: 1_767_225_600_000, eta_ms: 300, links: { self: '/v1/jobs/a' }, credits_used: '4.00' }
    const queued = { ...always, completed_at: null, toString: null, status: 'queued' }
    expect((await caller.get(path)).body).toEqual({ success: true, data: queued })
    await server.clock.advance(60_000)
    expect((await caller.get(path)).body).toMatchObject({ data: { ...always, completed_at: 1_767_225_604.2 } })
  })

  it('shows a member of responses to runs alone as `memberValues` say of them', async () => {
    const memberValues = { cost: 7, 'runs/queued/cost': null }
    const assumptions = { jobFields: ['cost'], runFields: ['queued/cost', 'processing/cost'], memberValues }
    const caller = apiCaller(createReferenceServer({ assumptions }))
    const { body } = await caller.run(MODEL, { sync: false })
    expect(body).toMatchObject({ status: 'queued', cost: null })
    expect((await caller.get(`/v1/jobs/${body.job_id}`)).body).toEqual({ data: { status: 'queued', cost: 7 } })
    const processing = await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
    expect(processing.body).toMatchObject({ status: 'processing', cost: 7 })
  })

  it('shows a webhook_url of jobs alone that have one', async () => {
    const memberValues = { webhook_url: 'https://suite.test/' }
    const server = createReferenceServer({ assumptions: { jobFields: ['webhook_url'], memberValues } })
    const caller = apiCaller(server)
    const dataWith = async (webhook_url?: string) => {
      const { body } = await caller.run(MODEL, { sync: false, webhook_url })
      return (await caller.get(`/v1/jobs/${body.job_id}`)).body.data
    }
    expect(await dataWith()).toEqual({ status: 'queued' })
    expect(await dataWith('https://receiver.test/x')).toEqual({
      status: 'queued',
      webhook_url: 'https://receiver.test/x',
    })
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

  it('shows the unchanged state of a finished job when the assumption says so (section 3)', async () => {
    const { server, caller, path, jobId } = await withJob({
      assumptions: { rejections: { cancelOfFinishedJob: 'accepted' } },
    })
    server.job(jobId).complete()
    expect(await caller.delete(path)).toMatchObject({
      status: 200,
      body: { data: { job_id: jobId, status: 'succeeded' } },
    })
  })

  it('has the body and the status that the assumptions say (section 4.5)', async () => {
    const assumptions = { cancelStatus: 202, cancelFields: ['/message', '/job/id', '/job/status', '/eta'] } as const
    const { caller, path, jobId } = await withJob({ assumptions })
    const body = { message: 'The job is cancelled.', job: { id: jobId, status: 'cancelled' }, eta: null }
    expect(await caller.delete(path)).toMatchObject({ status: 202, body })
    const empty = await withJob({ assumptions: { cancelFields: [] } })
    expect(await empty.caller.delete(empty.path)).toMatchObject({ status: 200, text: '' })
  })

  it('may succeed for an unknown job and for a cancelled one', async () => {
    const rejections = { cancelOfUnknownJob: { status: 204, code: null }, cancelOfCancelledJob: 'accepted' } as const
    const { caller, path } = await withJob({ assumptions: { rejections: rejections } })
    expect((await caller.delete('/v1/jobs/job_0')).status).toBe(204)
    await caller.delete(path)
    expect((await caller.delete(path)).status).toBe(200)
  })

  it('rejects an id for its form where that counts, and knows its own and that of the service', async () => {
    const malformedJobId = { status: 422, code: 'UUID', rightForm: '8f14e45f-ceea-467f-a9d2-3f0b1c5d7e90' }
    const { caller } = await withJob({ assumptions: { rejections: { malformedJobId } } })
    const ofRightForm = ['/v1/jobs/00000000-0000-4000-8000-00000000000a', `/v1/jobs/job_${'a'.repeat(24)}`]
    for (const send of [caller.get, caller.delete]) {
      for (const other of ofRightForm) expect((await send(other)).status).toBe(404)
      expect(await send('/v1/jobs/17')).toMatchObject({ status: 422, body: { error: { code: 'UUID' } } })
    }
    const counted = { ...malformedJobId, rightForm: '17' }
    const other = await withJob({ assumptions: { rejections: { malformedJobId: counted } } })
    expect((await other.caller.get('/v1/jobs/123456')).status).toBe(404)
  })

  it('finds the provider done before it cancels', async () => {
    const { server, caller, path } = await withJob()
    await server.clock.advance(4_200)
    expect((await caller.delete(path)).status).toBe(409)
    expect(server.credits()).toBe(9_996)
  })
})
