import { fixtures } from '@modelrun/contract/fixtures'
import ky from 'ky'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { broken, errorResponse, json, type Step, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { HookError } from '../errors/transport-errors.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }
const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }

describe('a ky hook that fails', () => {
  /** A client whose hook throws, or returns what is given. */
  const failing = (hook: 'beforeRequest' | 'afterResponse' | 'beforeError', steps: Step[], returned?: unknown) => {
    const act = () => {
      if (returned === undefined) throw new RangeError('a fault of the hook')
      return returned as never
    }
    return createTestClient(steps, { ky: ky.extend({ hooks: { [hook]: [act] } }) })
  }
  const runs = json(202, QUEUED, { 'x-request-id': 'req_7' })
  const withoutJob = json(200, { ...fixtures.runs.completed.body, job_id: '' })
  const failed = (end: string) =>
    `A hook of the ky instance failed in POST /v1/models/aurora-image/run: a fault of the hook. ${end}`
  const accepted = {
    ...{ submission: 'accepted', jobId: 'job_1', status: 202, requestId: 'req_7' },
    message: failed("The service has accepted it: `jobs.attach('job_1').result()` brings the result."),
  }
  const notSent = { submission: 'not_sent', message: failed('The run was not sent: nothing is charged.') }
  const lost = { submission: 'unknown', attempts: [{ reason: 'ECONNRESET' }] }

  test.each<[string, ReturnType<typeof failing>, object]>([
    ['before it', failing('beforeRequest', [runs]), notSent],
    ['after it', failing('afterResponse', [runs]), accepted],
    ['after one without a job', failing('afterResponse', [withoutJob]), { submission: 'unknown', status: 200 }],
    ['after one that was refused', failing('beforeError', [unconnected('ECONNREFUSED')]), { submission: 'unknown' }],
    ['after a lost response', failing('beforeError', [broken('ECONNRESET')]), lost],
  ])('gives the outcome of the run: %s', async (_, { client, service }, fields) => {
    const error = await caught(client.submit('aurora-image', {}), HookError)
    expect(error).toMatchObject({ cause: { message: 'a fault of the hook' }, ...fields })
    expect(service.received.length).toBe(error.submission === 'not_sent' ? 0 : 1)
  })

  test('before any response has no id of a request', async () => {
    const { client } = failing('beforeRequest', [])
    const { requestId, status } = await caught(client.models.list(), HookError)
    expect([requestId, status]).toEqual([undefined, undefined])
  })

  test('after a list has accepted nothing', async () => {
    const { client } = failing('afterResponse', [json(200, MODELS)])
    const error = await caught(client.models.list(), HookError)
    expect(error).toMatchObject({ submission: 'not_sent', status: 200 })
    expect(error.message).toBe('A hook of the ky instance failed in GET /v1/models: a fault of the hook.')
  })

  test('before a poll or a cancel leaves the job alone, and after a lost response to a cancel may not', async () => {
    const { client } = failing('beforeRequest', [])
    const poll = await caught(client.jobs.get('job_9'), HookError)
    expect(poll).toMatchObject({ submission: 'unknown', jobId: 'job_9' })
    const cancel = await caught(client.jobs.cancel('job_9'), HookError)
    for (const { message } of [poll, cancel]) expect(message).toContain('The job job_9 is not affected.')
    const after = failing('beforeError', [broken('ECONNRESET')])
    const error = await caught(after.clock.run(after.client.jobs.cancel('job_9')), HookError)
    expect(error.message).toContain('Whether the job job_9 is cancelled is not known')
  })

  test.each([
    [404, 'rejected'],
    [502, 'unknown'],
  ])('or responds %i instead of the service says what that means: %s', async (status, submission) => {
    // It may have sent the run itself.
    const { client, service } = failing('beforeRequest', [], new Response('', { status }))
    await expect(client.submit('aurora-image', {})).rejects.toMatchObject({
      status,
      submission,
      attempts: [{ status }],
    })
    expect(service.received).toHaveLength(0)
  })

  test('or has a result where the service had none gives that result', async () => {
    const sentAgain = Response.json(QUEUED, { status: 202 })
    const { client, service } = failing('afterResponse', [errorResponse(401, 'UNAUTHORIZED')], sentAgain)
    const { attempts } = await client.submit('aurora-image', {}).withResponse()
    expect([service.received.length, attempts.map(({ status }) => status)]).toEqual([1, [401, 202]])
  })

  test('by returning an error of its own keeps the facts of the call', async () => {
    const steps = [errorResponse(404, 'NOT_FOUND', { 'x-request-id': 'req_7' })]
    const { client } = failing('beforeError', steps, new RangeError('mine'))
    const error = await caught(client.jobs.get('job_9'), HookError)
    expect(error).toMatchObject({ status: 404, jobId: 'job_9', requestId: 'req_7', cause: { message: 'mine' } })
  })
})
