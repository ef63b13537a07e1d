import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import type { Step } from '../../../test/scripted-service.ts'
import { broken, cut, errorResponse, json, silent, text, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ApiError } from '../errors/api-errors.ts'
import { ConflictError, NotFoundError, PermissionDeniedError, ServerError } from '../errors/api-errors.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'

describe('jobs.cancel (section 4.5)', () => {
  test.each([
    ['the job as it is now', json(200, fixtures.jobs.cancel.body), 'cancelled'],
    ['a status without a wrapper', json(200, { job_id: 'job_1', status: 'cancelled' }), 'cancelled'],
    ['a status that is not known', json(202, { data: { status: 'cancelling' } }), 'cancelling'],
  ])('takes the status of %s', async (_, step, status) => {
    const { client, service } = createTestClient([step])
    await expect(client.jobs.cancel('job_1')).resolves.toEqual({ job_id: 'job_1', status })
    expect(service.received).toMatchObject([{ method: 'DELETE', path: '/v1/jobs/job_1', body: undefined }])
  })

  describe.each([
    ['204', text(204, null)],
    ['an empty 200', text(200, '')],
    ['an empty 202', text(202, '')],
    ['text', text(200, 'OK')],
    ['text with a tag in it', text(200, 'It is <b>cancelled</b>')],
    ['JSON of another shape', json(200, { status: 5, ok: true })],
    ['a status that is not a string', json(200, { data: { status: 5 } })],
    ['a list', json(200, [])],
    ['the word of another job', json(200, { job_id: 'job_2', status: 'cancelled' })],
    ['a body that was cut', cut(200, '{"data":{"sta')],
  ])('after %s only the job itself decides', (_, step) => {
    test.each(['cancelled', 'completed', 'processing'])('%s', async (status) => {
      const { client, service } = createTestClient([step, json(200, { data: { status } })])
      const known = status === 'completed' ? 'succeeded' : status
      const result = await client.jobs.cancel('job_1')
      expect(result).toEqual({ job_id: 'job_1', status: known, job: { status: known } })
      expect(service.received.map(({ method }) => method)).toEqual(['DELETE', 'GET'])
    })
  })

  test('does not take a web page for the service: the job may continue', async () => {
    const page = text(200, '\n\n<!doctype html><title>Sign in to the network</title>')
    const { client, service } = createTestClient([page, json(200, { data: { status: 'cancelled' } })])
    const error = await caught(client.jobs.cancel('job_1'), InvalidResponseError)
    expect(error).toMatchObject({ jobId: 'job_1', isRetryable: true })
    expect(error.message).toContain('Whether the job job_1 is cancelled is not known')
    expect(service.methods()).toEqual(['DELETE'])
  })

  test.each<
    [string, Step[], typeof NotFoundError | typeof ConflictError | typeof PermissionDeniedError | typeof ServerError]
  >([
    ['the service rejects it', [errorResponse(409, 'X')], ConflictError],
    ['the service rejects the key after a lost attempt', [broken('X'), errorResponse(403, 'X')], PermissionDeniedError],
    ['the job is not known at first', [errorResponse(404, 'X')], NotFoundError],
    ['the key may not read the job', [text(204, null), errorResponse(403, 'X')], PermissionDeniedError],
    ['the job cannot be read', [text(204, null), errorResponse(500, 'X')], ServerError],
  ])('rejects, with the job, when %s', async (_, steps, type) => {
    const { client, clock } = createTestClient(steps, { maxRetries: 1 })
    const error = await caught<ApiError>(clock.run(client.jobs.cancel('job_1')), type)
    expect(error).toMatchObject({ jobId: 'job_1', apiCode: 'X' })
    expect(error.message.includes('Whether the job job_1 is cancelled is not known')).toBe(type === ServerError)
  })

  const gone = errorResponse(404, 'NOT_FOUND')
  test.each([
    ['a connection that broke', [broken('ECONNRESET')]],
    ['500', [text(500, '')]],
    ['408', [text(408, '')]],
    ['a time limit', [silent()]],
    ['a lost attempt and a later one that did nothing', [broken('ECONNRESET'), text(429, '')]],
  ])('reads the job when a 404, 409 or 410 follows %s: an own attempt may have cancelled it', async (_, steps) => {
    for (const status of [404, 409, 410]) {
      const rejection = errorResponse(status, 'X')
      const { client, clock } = createTestClient([...steps, rejection, json(200, { data: { status: 'cancelled' } })])
      await expect(clock.run(client.jobs.cancel('job_1'))).resolves.toMatchObject({ status: 'cancelled' })
    }
  })

  test.each([
    ['a connection that was refused', unconnected('ECONNREFUSED')],
    ['429', text(429, '')],
  ])('does not count as done when the job is gone after %s, which did nothing', async (_, step) => {
    const { client, clock, service } = createTestClient([step, gone])
    await caught(clock.run(client.jobs.cancel('job_1')), NotFoundError)
    expect(service.methods()).toEqual(['DELETE', 'DELETE'])
  })

  test.each(['', '..', '\ud800'])('rejects, and does not throw, for the id %j: no path has it', async (id) => {
    const { client, service } = createTestClient([text(204, null)])
    const { message } = await caught(client.jobs.cancel(id), ConfigurationError)
    expect(message).toMatch(/an id/)
    expect(service.received).toHaveLength(0)
  })
})
