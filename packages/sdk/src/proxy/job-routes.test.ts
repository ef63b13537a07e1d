import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { broken, errorResponse, json } from '../../test/scripted-service.ts'
import { createTestProxy, MODEL, PROXY_SECRET } from '../../test/test-proxy.ts'
import { createJobSeals } from './sealed-jobs.ts'

const seal = (user: string) => createJobSeals(PROXY_SECRET, '/api/modelrun').seal(user, { jobId: 'job_1' })
const output = fixtures.runs.completed.body.output

describe('a job of a page (section 4.4)', () => {
  test('is polled by its own id, and shows what the specification names', async () => {
    const data = { status: 'succeeded', output, job_id: 'job_1', credits_used: 4, webhook_url: 'https://api.internal' }
    const { send, service } = createTestProxy([json(200, { data })])
    const id = await seal('anna')
    const { status, body } = await send(`GET /v1/jobs/${id}`)
    expect([status, body]).toEqual([200, { data: { job_id: id, status: 'succeeded', output, credits_used: 4 } }])
    expect(service.received[0]?.path).toBe('/v1/jobs/job_1')
  })

  test('that failed says why, without what is not for pages', async () => {
    const message = 'no GPU at https://gpu.internal'
    const data = { status: 'failed', error: { code: 'PROVIDER_FAILURE', message } }
    const { send } = createTestProxy([json(200, { data })])
    const { body } = await send(`GET /v1/jobs/${await seal('anna')}`)
    expect(body).toMatchObject({ data: { error: { code: 'PROVIDER_FAILURE', message: 'no GPU at [url]' } } })
  })

  test('is waited for by the client of the page, unchanged', async () => {
    const steps = [
      json(202, { job_id: 'job_1', request_id: 'req_1', status: 'queued', model_id: MODEL }),
      json(200, { data: { status: 'processing' } }),
      broken('ECONNRESET'),
      json(200, { data: { status: 'succeeded', output } }),
    ]
    const { pageOf, clock } = createTestProxy(steps)
    const job = await pageOf('anna').submit(MODEL, { prompt: 'x' })
    const again = pageOf('anna').jobs.attach(JSON.stringify(job))
    const result = await clock.run(again.result({ deadlineMs: Number.POSITIVE_INFINITY }))
    expect(result.output).toEqual(output)
    expect(job.id).not.toContain('job_1')
  })
})

describe('a cancel (section 4.5)', () => {
  test('passes on a conflict', async () => {
    const { send } = createTestProxy([errorResponse(409, 'CONFLICT')])
    const error = { code: 'CONFLICT', message: 'The CONFLICT message' }
    const response = await send(`DELETE /v1/jobs/${await seal('anna')}`)
    expect(response).toMatchObject({ status: 409, body: { error } })
  })

  test('asks the service once where nothing was reserved', async () => {
    const { send, service } = createTestProxy([json(200, { data: { status: 'cancelled' } })])
    const id = await seal('anna')
    const { body } = await send(`DELETE /v1/jobs/${id}`)
    expect(body).toEqual({ data: { job_id: id, status: 'cancelled' } })
    expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /v1/jobs/job_1'])
  })

  test('whose response was lost is repeated by the client of the page', async () => {
    const cancelled = json(200, { data: { status: 'cancelled' } })
    const steps = [broken('ECONNRESET'), errorResponse(404, 'NOT_FOUND'), cancelled]
    const { pageOf, service, clock } = createTestProxy(steps)
    const id = await seal('anna')
    await expect(clock.run(pageOf('anna').jobs.cancel(id))).resolves.toMatchObject({ status: 'cancelled' })
    expect(service.received.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'GET'])
  })
})
