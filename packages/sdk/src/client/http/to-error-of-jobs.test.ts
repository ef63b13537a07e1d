import { describe, expect, test } from 'vitest'
import { ERROR_BODY, failedCall, failedResponse, interruption } from '../../../test/failed-calls.ts'
import { cancelJobOperation, getJobOperation } from '../jobs/job-operations.ts'
import { runOperation } from '../runs/run-operation.ts'
import { toError } from './to-error.ts'

const run = runOperation('aurora-image', { input: {} })
const cancel = cancelJobOperation('job_1')
const poll = getJobOperation('job_1')

describe('a failed call about a job', () => {
  test('names the job that had been named before the caller aborted', () => {
    const { received: partial } = failedResponse(202, '{"job_id":"job_9","status":"queued"')
    const error = toError({ ...interruption('aborted', 'unknown'), partial }, failedCall(run))
    expect(error).toMatchObject({ name: 'AbortedError', jobId: 'job_9', submission: 'accepted' })
    expect(error.message).toContain('The service had accepted the run: see `error.jobId`.')
  })

  test.each([
    ['accepted, when the service itself named the job', true, 'accepted'],
    ['unknown, when only the caller named it', false, 'unknown'],
  ] as const)('is %s', (_, isJobConfirmed, submission) => {
    for (const failure of [failedResponse(404, ERROR_BODY), interruption('connection', 'not_sent')])
      expect(toError(failure, failedCall({ ...poll, isJobConfirmed })).submission).toBe(submission)
  })

  test('says that a job is not affected by a poll, or by a cancel that was never sent (section 4.5)', () => {
    for (const error of [
      toError(interruption('connection', 'unknown'), failedCall(poll)),
      toError(interruption('connection', 'not_sent'), failedCall(cancel)),
    ])
      expect(error).toMatchObject({
        jobId: 'job_1',
        message: expect.stringMatching(/The job job_1 is not affected\.$/),
      })
  })

  test.each([
    ['a connection that broke', interruption('connection', 'unknown')],
    ['a time limit', interruption('timeout', 'unknown')],
    ['a server error', failedResponse(500, ERROR_BODY)],
    ['an unreadable response', { ...failedResponse(200, '<html>'), problem: 'the body is a web page' }],
  ])('does not promise that a job lives after a cancel that ended with %s (section 4.5)', (_, failure) => {
    const { message } = toError(failure, failedCall(cancel))
    expect(message).toContain('Whether the job job_1 is cancelled is not known: read its status with `jobs.get`.')
  })

  test('does not say so when an earlier attempt may have arrived (section 4.5)', () => {
    const attempt = { startedAt: 0, durationMs: 1, reason: 'ECONNRESET' }
    const failed = failedCall(cancel, { attempts: [attempt, attempt] })
    expect(toError(interruption('connection', 'not_sent'), failed).message).toContain('is not known')
  })

  test.each([404, 409])('adds nothing to the error response %i', (status) => {
    for (const operation of [poll, cancel]) {
      expect(toError(failedResponse(status, ERROR_BODY), failedCall(operation)).message).toMatch(/\)\.$/)
    }
  })
})
