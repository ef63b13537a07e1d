import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { failedResponse } from '../../../test/failed-calls.ts'
import { type ReceivedResponse, UnreadableResponse } from '../http/operation.ts'
import { runOperation } from './run-operation.ts'

const operation = runOperation('aurora-image', { input: {} })

const received = (body: unknown): ReceivedResponse => failedResponse(200, JSON.stringify(body)).received

const read = (body: unknown) => operation.read(received(body))

describe('the call of a run', () => {
  test('is one that is never sent twice, and may be held for 55 s (sections 4.3 and 8)', () => {
    expect(operation).toMatchObject({ isRun: true, holdMs: 55_000, parameters: { model: 'aurora-image' } })
    expect(runOperation('m', { input: {}, sync: true }).holdMs).toBe(55_000)
  })

  test('is not held when the service responds at once (section 4.3)', () => {
    expect(runOperation('m', { input: {}, sync: false }).holdMs).toBe(0)
    expect(runOperation('m', { input: {}, webhook_url: 'https://example.com' }).holdMs).toBe(0)
  })
})

describe('the response to a run (section 4.3)', () => {
  test.each([
    fixtures.runs.completed,
    fixtures.runs.processingSlow,
    fixtures.runs.processingWebhook,
    fixtures.runs.queued,
  ])('of status $body.status is read as it is', ({ body }) => {
    expect(read(body)).toEqual(body)
  })

  test.each([5, 'text', null, true, []])('that is %j names no job', (body) => {
    expect(() => read(body)).toThrow(expect.any(UnreadableResponse))
  })

  test('keeps fields that are not specified', () => {
    expect(read({ ...fixtures.runs.queued.body, position: 3 })).toMatchObject({ position: 3 })
  })

  test('that has another shape but names its job is a job all the same', () => {
    const { output: _, ...withoutOutput } = fixtures.runs.completed.body
    expect(read(withoutOutput)).toEqual({ status: 'unknown', job_id: 'job_8f14e45f', reported_status: 'completed' })
    expect(read({ job_id: 'job_1', status: 'succeeded' })).toMatchObject({ reported_status: 'succeeded' })
  })

  test.each([408, 500, 503])('of status %i that names its job says that the run was accepted', (status) => {
    const body = { job_id: 'job_1', status: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'x' } }
    const found = operation.readError?.({ ...received(body), status }, false)?.data
    expect(found).toMatchObject({ status: 'unknown', job_id: 'job_1' })
  })

  test.each([400, 409, 422, 429])('of status %i is none, although it names a job: it may be another one', (status) => {
    const body = { job_id: 'job_1', error: { code: 'BUSY', message: 'x', job_id: 'job_1' } }
    expect(operation.readError?.({ ...received(body), status }, false)).toBeUndefined()
  })

  test.each([200, 500])('of status %i whose error names a job is none: it may be another one', (status) => {
    const response = { ...received({ error: { code: 'BUSY', message: 'x', job_id: 'job_1' } }), status }
    expect(operation.readError?.(response, false)).toBeUndefined()
    expect(() => operation.read(response)).toThrow(expect.any(UnreadableResponse))
    expect(operation.jobIn?.(response)).toEqual({ jobId: 'job_1', isOwn: false })
  })

  test.each(['', '.', '..', '\ud800', undefined, null, {}, 2 ** 60])(
    'whose `job_id` is %j cannot be followed, unless it has the result',
    (job_id) => {
      for (const { body } of [fixtures.runs.processingSlow, fixtures.runs.queued])
        expect(() => read({ ...body, job_id })).toThrow(UnreadableResponse)
      expect(read({ ...fixtures.runs.completed.body, job_id })).toMatchObject({ job_id: '', status: 'completed' })
    },
  )

  test('whose `job_id` is a number names the job by its digits', () => {
    expect(read({ ...fixtures.runs.queued.body, job_id: 12345 })).toMatchObject({ job_id: '12345' })
  })

  test('of an error status with the error body of section 7 does not', () => {
    expect(operation.readError?.(received(fixtures.errors.internal.body), false)).toBeUndefined()
  })
})
