import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { JobCancelledError, JobFailedError } from '../errors/job-errors.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import { isFailed } from './job-guards.ts'

const testClientFor = (data: object) => createTestClient([json(200, { data })])
const clientFor = (data: object) => testClientFor(data).client

describe('a job that failed is a JobFailedError', () => {
  test.each<[unknown, string, string]>([
    [{ code: 'PROVIDER_FAILURE', message: 'No paint.' }, 'PROVIDER_FAILURE', '[PROVIDER_FAILURE] No paint.'],
    ['out of paint', 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ message: 'out of paint' }, 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ code: 503, message: 'out of paint' }, '503', '[503] out of paint'],
    [{ code: 'E1' }, 'E1', '[E1] The service gave no reason.'],
    [{ code: null, message: 'out of paint' }, 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ reason: 'paint' }, 'UNKNOWN', '[UNKNOWN] {"reason":"paint"}'],
    [{}, 'UNKNOWN', '[UNKNOWN] The service gave no reason.'],
    [null, 'UNKNOWN', '[UNKNOWN] The service gave no reason.'],
    [true, 'UNKNOWN', '[UNKNOWN] The service gave no reason.'],
    ['', 'UNKNOWN', '[UNKNOWN] The service gave no reason.'],
  ])('when its error is %j', async (reported, failureCode, reason) => {
    const client = clientFor({ status: 'failed', error: reported })
    const error = await caught(client.jobs.attach('job_1').result(), JobFailedError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted', job: { status: 'failed' } })
    expect([error.failureCode, error.message]).toEqual([failureCode, `The job job_1 failed: ${reason}`])
    expect(isFailed(error.job)).toBe(true)
  })

  test('whose error has its other members', async () => {
    const reported = { code: 'E1', message: 'x', provider: 'lumen' }
    const job = await clientFor({ status: 'failed', error: reported }).jobs.get('job_1')
    expect(job.error).toEqual(reported)
  })
})

const OUTPUT = { type: 'image', items: [] }

test('client.jobs.get gives the job, whose success reads succeeded by either word (sections 3 and 4.4)', async () => {
  const { client, service } = createTestClient([json(200, { data: { status: 'completed', output: OUTPUT, more: 1 } })])
  await expect(client.jobs.get('job 1')).resolves.toEqual({ status: 'succeeded', output: OUTPUT, more: 1 })
  expect(service.received).toMatchObject([{ method: 'GET', path: '/v1/jobs/job%201' }])
})

test('a job that was cancelled is a JobCancelledError, which says that it is not charged (section 1)', async () => {
  const job = { status: 'cancelled' }
  const error = await caught(clientFor(job).jobs.attach('job_1').result(), JobCancelledError)
  expect(error).toMatchObject({ jobId: 'job_1', job, submission: 'accepted' })
  expect(error.message).toContain('It is not charged.')
})

describe('a job that succeeded', () => {
  const KNOWN = { job_id: 'job_1', model_id: 'aurora-image', request_id: 'req_1' }
  test.each([
    ['what is known of the run', KNOWN, {}, KNOWN],
    ['nothing else when only its id is known', 'job_1', {}, { job_id: 'job_1' }],
    ['the model of the job then, as text', 'job_1', { model_id: 'drift' }, { job_id: 'job_1', model_id: 'drift' }],
    ['no other model than the known one', KNOWN, { model_id: 'drift' }, KNOWN],
    ['no model that is not text', 'job_1', { model_id: 5 }, { job_id: 'job_1' }],
    ['its credits (section 2.4)', KNOWN, { credits_used: 4, duration_ms: '8421' }, { ...KNOWN, credits_used: 4 }],
  ])('has %s', async (...row) => {
    const [, job, more, expected] = row
    const client = clientFor({ status: 'succeeded', output: OUTPUT, ...more })
    const result = await client.jobs.attach(job).result()
    expect(result).toStrictEqual({ ...expected, status: 'succeeded', output: OUTPUT })
  })

  test.each([
    { type: 'text', items: [{ type: 'text', text: 'a red fox' }] },
    { items: [{ url: 'https://files.example.com/1.png' }] },
    { type: 'image', items: [] },
  ])('has its output %j', async (output) => {
    const { client } = createTestClient([json(200, { data: { status: 'succeeded', output, error: null } })])
    const result = await client.jobs.attach('job_1').result()
    expect(result.output).toEqual(output)
    expect(result).not.toHaveProperty('error')
  })

  test.each([undefined, 'a red fox', ['a red fox'], { items: 'a red fox' }])(
    'is on the error when its output %j cannot be read as one: doing the same again may be another run',
    async (output) => {
      const { client, clock } = testClientFor({ status: 'succeeded', output })
      const error = await clock.run(caught(client.jobs.attach('job_1').result(), InvalidResponseError))
      expect(error).toMatchObject({ jobId: 'job_1', isRetryable: false })
      if (output !== undefined) expect(error.body).toContain('a red fox')
    },
  )
})
