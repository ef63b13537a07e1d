import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { type ReceivedResponse, UnreadableResponse } from '../http/operation.ts'
import { runOperation } from './run-operation.ts'

const operation = runOperation('aurora-image', { input: {} })

const received = (body: unknown, isCut = false): ReceivedResponse => ({
  status: 200,
  text: JSON.stringify(body),
  isCut,
  response: new Response(null),
})

const read = (body: unknown, isCut = false) => operation.read(received(body, isCut))

describe('the call of a run', () => {
  test('is one that is never sent twice, and may be held for 55 s (sections 4.3 and 8)', () => {
    expect(operation).toMatchObject({ isRun: true, holdMs: 55_000, parameters: { model: 'aurora-image' } })
    expect(runOperation('m', { input: {}, sync: true }).holdMs).toBe(55_000)
  })

  test('is not held when the service responds at once (section 4.3)', () => {
    expect(runOperation('m', { input: {}, sync: false }).holdMs).toBeUndefined()
    expect(runOperation('m', { input: {}, webhook_url: 'https://example.com' }).holdMs).toBeUndefined()
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

  test('that is cut gives its job alone, even when it looks whole', () => {
    expect(read(fixtures.runs.completed.body, true)).toEqual({
      status: 'unknown',
      job_id: 'job_8f14e45f',
      reported_status: 'completed',
    })
  })

  test('that names no job cannot be read, and says what is missing', () => {
    expect(() => read({ id: 'job_1' })).toThrow(
      expect.objectContaining({ problem: expect.stringContaining('wrong shape at /job_id') }),
    )
  })

  test.each([
    { job_id: 'job_1', status: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'x' } },
    { error: { code: 'PROVIDER_FAILURE', message: 'x', job_id: 'job_1' } },
  ])('of an error status that names its job says that the run was accepted: %j', (body) => {
    expect(operation.readError?.(received(body), false)?.data).toMatchObject({ status: 'unknown', job_id: 'job_1' })
  })

  test('of an error status with the error body of section 7 does not', () => {
    expect(operation.readError?.(received(fixtures.errors.internal.body), false)).toBeUndefined()
  })
})
