import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import type { JobReference } from './job-operations.ts'
import { outcomeOfCompleted, outcomeOfJob } from './wait-for-job.ts'

const outcomeOf = (reference: JobReference, job: Job) =>
  outcomeOfJob(reference, job, { state: job, failure: undefined, attempts: [], requestId: undefined })

const reference = { jobId: 'job_1', modelId: 'aurora-image', requestId: 'req_1' }

test('completed, which the wire says for a run, reads succeeded (section 3)', () => {
  const { body } = fixtures.runs.completed
  expect(outcomeOfCompleted({ jobId: 'job_1' }, body)).toEqual({ ...body, status: 'succeeded' })
})

describe('the result of a job (section 4.4)', () => {
  const { output } = fixtures.jobs.succeeded.body.data

  test('has the output and what is known of the run, and no fields that are undefined', () => {
    const job = fixtures.jobs.succeeded.body.data
    const ids = { job_id: 'job_1', model_id: 'aurora-image', request_id: 'req_1' }
    expect(outcomeOf(reference, job)).toStrictEqual({ ...ids, status: 'succeeded', output })
    expect(outcomeOf({ jobId: 'job_1' }, job)).toStrictEqual({ job_id: 'job_1', status: 'succeeded', output })
  })

  test('takes the model from the job when only the id is known, as text', () => {
    const known = { ...fixtures.jobs.succeeded.body.data, model_id: 'drift-video' }
    expect(outcomeOf({ jobId: 'job_1' }, known).model_id).toBe('drift-video')
    expect(outcomeOf(reference, known).model_id).toBe('aurora-image')
    expect(outcomeOf({ jobId: 'job_1' }, { ...known, model_id: 5 } as never)).not.toHaveProperty('model_id')
  })

  test('takes credits and duration when the service shows them, as numbers (section 2.4)', () => {
    const job = { status: 'succeeded', output, credits_used: 4, duration_ms: '8421' }
    expect(outcomeOf(reference, job)).toMatchObject({ credits_used: 4 })
    expect(outcomeOf(reference, job)).not.toHaveProperty('duration_ms')
  })

  test('is a JobCancelledError when the job was cancelled, which is not charged (section 1)', () => {
    const job = { status: 'cancelled' }
    expect(() => outcomeOf(reference, job)).toThrow(
      expect.objectContaining({ name: 'JobCancelledError', jobId: 'job_1', job, submission: 'accepted' }),
    )
    expect(() => outcomeOf(reference, { status: 'cancelled' })).toThrow('It is not charged.')
  })

  test('is an InvalidResponseError when the service sends no output', () => {
    expect(() => outcomeOf(reference, { status: 'succeeded' })).toThrow(
      // Doing the same again may be another run.
      expect.objectContaining({
        name: 'InvalidResponseError',
        jobId: 'job_1',
        submission: 'accepted',
        isRetryable: false,
      }),
    )
  })
})
