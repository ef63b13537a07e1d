import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { JobFailedError } from '../errors/job-errors.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'

const clientFor = (data: object) => createTestClient([json(200, { data })]).client

describe('a job that failed is a JobFailedError', () => {
  test.each<[unknown, string | undefined, string]>([
    [{ code: 'PROVIDER_FAILURE', message: 'No paint.' }, 'PROVIDER_FAILURE', '[PROVIDER_FAILURE] No paint.'],
    ['out of paint', 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ message: 'out of paint' }, 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ code: 503, message: 'out of paint' }, '503', '[503] out of paint'],
    [{ code: 'E1' }, 'E1', '[E1] The service gave no reason.'],
    [{ code: null, message: 'out of paint' }, 'UNKNOWN', '[UNKNOWN] out of paint'],
    [{ reason: 'paint' }, 'UNKNOWN', '[UNKNOWN] {"reason":"paint"}'],
    [{}, undefined, 'The service gave no reason.'],
    [null, undefined, 'The service gave no reason.'],
    [true, undefined, 'The service gave no reason.'],
    ['', undefined, 'The service gave no reason.'],
  ])('when its error is %j', async (reported, failureCode, reason) => {
    const client = clientFor({ status: 'failed', error: reported })
    const error = await caught(client.jobs.attach('job_1').result(), JobFailedError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted', job: { status: 'failed' } })
    expect([error.failureCode, error.message]).toEqual([failureCode, `The job job_1 failed: ${reason}`])
  })

  test('whose error has its other members', async () => {
    const reported = { code: 'E1', message: 'x', provider: 'lumen' }
    const job = await clientFor({ status: 'failed', error: reported }).jobs.get('job_1')
    expect(job.error).toEqual(reported)
  })
})

describe('a job that succeeded', () => {
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

  test.each(['a red fox', ['a red fox'], { items: 'a red fox' }])(
    'is on the error when its output %j cannot be read as one',
    async (output) => {
      const client = clientFor({ status: 'succeeded', output })
      const error = await caught(client.jobs.attach('job_1').result(), InvalidResponseError)
      expect(error).toMatchObject({ jobId: 'job_1', body: expect.stringContaining('a red fox') })
    },
  )
})
