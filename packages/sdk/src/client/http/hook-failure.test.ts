import { fixtures } from '@modelrun/contract/fixtures'
import ky from 'ky'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { broken, errorResponse, json, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { HookError } from '../errors/transport-errors.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }
const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }

describe('a ky hook that fails', () => {
  const failing = () => {
    throw new RangeError('a fault of the hook')
  }

  test('before the request sends nothing, and the error says so', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [failing] } })
    const { client, service } = createTestClient([json(202, QUEUED)], { ky: mine })
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ submission: 'not_sent', cause: { message: 'a fault of the hook' } })
    expect(error.message).toBe(
      'A hook of the ky instance failed in POST /v1/models/aurora-image/run: a fault of the hook. The run was not sent: nothing is charged.',
    )
    expect(service.received).toHaveLength(0)
  })

  test('after the response of an accepted run leaves the job on the error', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [failing] } })
    const { client, service } = createTestClient([json(202, QUEUED)], { ky: mine })
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ submission: 'accepted', jobId: 'job_1', status: 202 })
    expect(service.received).toHaveLength(1)
  })

  test('after a response without a job may have been that of an accepted run', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [failing] } })
    const { client } = createTestClient([json(200, { ...fixtures.runs.completed.body, job_id: '' })], { ky: mine })
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ submission: 'unknown', status: 200 })
  })

  test('after a connection that was refused leaves open what else it has sent', async () => {
    const mine = ky.extend({ hooks: { beforeError: [failing] } })
    const { client } = createTestClient([unconnected('ECONNREFUSED')], { ky: mine })
    expect(await caught(client.submit('aurora-image', {}), HookError)).toMatchObject({ submission: 'unknown' })
  })

  test('after a lost response leaves the run as it was: unknown, with its attempts', async () => {
    const mine = ky.extend({ hooks: { beforeError: [failing] } })
    const { client } = createTestClient([broken('ECONNRESET')], { ky: mine })
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ submission: 'unknown', attempts: [{ reason: 'ECONNRESET' }] })
  })

  test('after the response of an accepted run keeps the id of the request', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [failing] } })
    const { client } = createTestClient([json(202, QUEUED, { 'x-request-id': 'req_7' })], { ky: mine })
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ requestId: 'req_7', jobId: 'job_1' })
    expect(error.message).toBe(
      "A hook of the ky instance failed in POST /v1/models/aurora-image/run: a fault of the hook. The service has accepted it: `jobs.attach('job_1').result()` brings the result.",
    )
  })

  test('before any response has no id of a request', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [failing] } })
    const { client } = createTestClient([], { ky: mine })
    const { requestId, status } = await caught(client.models.list(), HookError)
    expect([requestId, status]).toEqual([undefined, undefined])
  })

  test('after a list has accepted nothing', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [failing] } })
    const { client } = createTestClient([json(200, MODELS)], { ky: mine })
    const error = await caught(client.models.list(), HookError)
    expect(error).toMatchObject({ submission: 'not_sent', status: 200 })
    expect(error.message).toBe('A hook of the ky instance failed in GET /v1/models: a fault of the hook.')
  })

  test('before a poll does not say that the service knows the job', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [failing] } })
    const { client } = createTestClient([], { ky: mine })
    const error = await caught(client.jobs.get('job_9'), HookError)
    expect(error).toMatchObject({ submission: 'unknown', jobId: 'job_9' })
    expect(error.message).toContain('The job job_9 is not affected.')
  })

  test('before a cancel leaves the job alone, and after a lost response to it may not', async () => {
    const before = createTestClient([], { ky: ky.extend({ hooks: { beforeRequest: [failing] } }) })
    const { message } = await caught(before.client.jobs.cancel('job_9'), HookError)
    expect(message).toContain('The job job_9 is not affected.')
    const after = createTestClient([broken('ECONNRESET')], { ky: ky.extend({ hooks: { beforeError: [failing] } }) })
    const error = await caught(after.clock.run(after.client.jobs.cancel('job_9')), HookError)
    expect(error.message).toContain('Whether the job job_9 is cancelled is not known')
  })

  test.each([
    [404, 'rejected'],
    [502, 'unknown'],
  ])(
    'instead of which the hook responds %i says what that means: it may have sent the run itself',
    async (status, submission) => {
      const mine = ky.extend({ hooks: { beforeRequest: [() => new Response('', { status })] } })
      const { client, service } = createTestClient([], { ky: mine })
      await expect(client.submit('aurora-image', {})).rejects.toMatchObject({
        status,
        submission,
        attempts: [{ status }],
      })
      expect(service.received).toHaveLength(0)
    },
  )

  test('by returning an error of its own keeps the facts of the call', async () => {
    const mine = ky.extend({ hooks: { beforeError: [() => new RangeError('mine')] } })
    const { client } = createTestClient([errorResponse(404, 'NOT_FOUND', { 'x-request-id': 'req_7' })], { ky: mine })
    const error = await caught(client.jobs.get('job_9'), HookError)
    expect(error).toMatchObject({ status: 404, jobId: 'job_9', requestId: 'req_7', cause: { message: 'mine' } })
  })
})
