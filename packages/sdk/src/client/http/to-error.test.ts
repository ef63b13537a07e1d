import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { ERROR_BODY, failedCall, failedResponse, interruption, RUN_IS } from '../../../test/failed-calls.ts'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from '../errors/api-errors.ts'
import {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
} from '../errors/transport-errors.ts'
import { cancelJobOperation, getJobOperation } from '../jobs/job-operations.ts'
import { runOperation } from '../runs/run-operation.ts'
import type { Failure } from './operation.ts'
import { toError } from './to-error.ts'

const run = runOperation('aurora-image', { input: {} })
const cancel = cancelJobOperation('job_1')
const poll = getJobOperation('job_1')

describe('an error response to a run (section 7)', () => {
  test.each([
    [400, InvalidRequestError, 'invalid_request', 'rejected'],
    [401, AuthenticationError, 'authentication_failed', 'rejected'],
    [402, InsufficientCreditsError, 'insufficient_credits', 'rejected'],
    [403, PermissionDeniedError, 'permission_denied', 'rejected'],
    [404, NotFoundError, 'not_found', 'rejected'],
    [408, ApiError, 'api_error', 'unknown'],
    [409, ConflictError, 'conflict', 'rejected'],
    [418, ApiError, 'api_error', 'rejected'],
    [422, InvalidRequestError, 'invalid_request', 'rejected'],
    [429, RateLimitError, 'rate_limited', 'rejected'],
    [500, ServerError, 'server_error', 'unknown'],
    [599, ServerError, 'server_error', 'unknown'],
  ] as const)('with the status %i has the class, the code and the submission of its status', (...row) => {
    const [status, type, code, submission] = row
    const error = toError(failedResponse(status, ERROR_BODY, { 'x-request-id': 'req_1' }), failedCall(run))
    expect(error.constructor).toBe(type)
    const known = { code, status, submission, apiCode: 'SOME_CODE', body: ERROR_BODY }
    expect(error).toMatchObject({ name: type.name, ...known })
    expect(error.message).toContain(`[SOME_CODE] Some message (HTTP ${status}, POST /v1/path, request req_1).`)
    expect(error.message).toContain(RUN_IS[submission])
  })

  test.each([400, 403, 407, 413, 429])('of %i of a gateway does not promise that nothing is charged', (status) => {
    const error = toError(failedResponse(status, '<html>'), failedCall(run))
    expect(error.submission).toBe('rejected')
    expect(error.message).toContain('The run was rejected, as it seems by something in front of the service.')
    expect(error.message).not.toContain('charged')
  })

  test.each([400, 409, 429, 500])(
    'of %i that names a job in its error leaves open whether it is that of the run',
    (status) => {
      const body = { error: { ...ERROR_BODY.error, job_id: 'job_1' } }
      const error = toError(failedResponse(status, body), failedCall(run))
      expect(error).toMatchObject({ submission: 'unknown', jobId: 'job_1' })
      expect(error.message).toContain('The response names the job job_1: read it with `jobs.get`.')
    },
  )

  test('of 403 names the permission that the call needs (section 5.4), unless its code says something else', () => {
    const forbidden = { error: { code: 'FORBIDDEN', message: 'Not with this key.' } }
    const messageOf = (body: object | string, operation: typeof run | typeof cancel) =>
      toError(failedResponse(403, body), failedCall(operation)).message
    expect(messageOf(forbidden, run)).toContain('needs the permission models:run.')
    expect(messageOf(forbidden, cancel)).toContain('needs the permission jobs:write.')
    for (const other of [ERROR_BODY, '<html>']) expect(messageOf(other, run)).not.toContain('permission')
  })

  test('of 407 and 429 says what a proxy wants, and how long to wait', () => {
    expect(toError(failedResponse(407, ''), failedCall(run)).message).toContain('comes from a proxy')
    const limited = toError(failedResponse(429, ERROR_BODY), failedCall(run, { retryAfterMs: 90_000 }))
    expect(limited.message).toContain('The service asks to wait 90000 ms.')
  })

  test.each([
    ['of 401 to a page without a key, which cannot check one', 401, failedCall(run, { isKeyless: true })],
    ['of 403 to a page without a key, which has no permissions', 403, failedCall(run, { isKeyless: true })],
    [
      'of 403 to a call whose permission is not known',
      403,
      failedCall({ ...run, route: { method: 'POST', path: '/v1/x' } }),
    ],
    ['of 429 that asks for no time', 429, failedCall(run)],
  ])('%s gives no advice', (_, status, failed) => {
    const { message } = toError(failedResponse(status, ERROR_BODY), failed)
    expect(message).toBe(`[SOME_CODE] Some message (HTTP ${status}, POST /v1/path). ${RUN_IS.rejected}`)
  })

  test.each(['<html>Bad gateway</html>', '', '{"error":"text"}', '{"message":"x"}', '[]', 'null'])(
    'with the foreign body %j keeps it and says that it is not the service that speaks',
    (text) => {
      const error = toError(failedResponse(502, text), failedCall(run))
      if (!(error instanceof ApiError)) throw error
      expect(error.apiCode).toBeUndefined()
      expect(error.body).toEqual(text.startsWith('<') || text === '' ? text : (JSON.parse(text) ?? text))
      expect(error.message).toMatch(/^The service responded without an error body of its own \(HTTP 502, POST/)
    },
  )
})

describe('an interrupted run', () => {
  test.each([
    ['connection', ConnectionError, 'POST /v1/path failed: ECONNRESET at https://api.example.com.'],
    ['timeout', AttemptTimeoutError, 'got no complete response within 30000 ms.'],
    ['aborted', AbortedError, 'was aborted by the caller.'],
    ['deadline', DeadlineExceededError, 'did not finish within deadlineMs (60000 ms).'],
    ['no_key', ConfigurationError, 'was not sent, because ECONNRESET.'],
  ] as const)('by %s has the class of that and says whether it may be charged', (kind, type, sentence) => {
    const cause = new Error('deeper')
    for (const submission of ['not_sent', 'unknown'] as const) {
      const partial = { ...failedResponse(202, '{').received, requestId: 'req_1' }
      const error = toError({ ...interruption(kind, submission, cause), partial }, failedCall(run))
      expect(error.constructor).toBe(type)
      expect(error).toMatchObject({ submission, cause })
      expect(error.message).toContain(sentence)
      expect(error.message).toContain(submission === 'not_sent' ? RUN_IS.not_sent : RUN_IS.unknown)
    }
  })

  test.each([
    ['what to check', undefined, 'Check that the service can be reached from here.'],
    ['what to do, where that is known', 'Use another port.', 'Use another port.'],
  ])('by a failed connection says %s', (_, hint, advice) => {
    const { message } = toError({ ...interruption('connection', 'not_sent'), hint }, failedCall(run))
    expect(message).toBe(`POST /v1/path failed: ECONNRESET at https://api.example.com. ${advice} ${RUN_IS.not_sent}`)
  })

  test('says how often it was tried', () => {
    const error = toError(interruption('connection', 'not_sent'), failedCall(run, { failures: 2 }))
    expect(error.message).toContain('failed after 2 attempts: ECONNRESET')
  })
})

describe('a run that may have been accepted, although no job is known', () => {
  const lost = interruption('connection', 'unknown')

  test('the delivery names the job, when the run has a webhook', () => {
    const body = { input: {}, webhook_url: 'https://example.com' }
    const { message } = toError(lost, failedCall(runOperation('aurora-image', body)))
    expect(message).toContain('the delivery to the webhook names the job')
  })

  test('the credits of the account decide, when it has none', () => {
    const { message } = toError(lost, failedCall(run))
    expect(message).toContain('compare the credits of the account')
    expect(message).toContain('A run with a `webhook` is found by its delivery.')
  })
})

describe('a failed call about a job', () => {
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

  test.each<[string, Failure, number?]>([
    ['a connection that broke', interruption('connection', 'unknown')],
    ['one that broke, and one that was refused', interruption('connection', 'not_sent'), 2],
    ['a time limit', interruption('timeout', 'unknown')],
    ['a server error', failedResponse(500, ERROR_BODY)],
    ['an unreadable response', { ...failedResponse(200, '<html>'), problem: 'the body is a web page' }],
  ])(
    'does not promise that a job lives after a cancel that ended with %s (section 4.5)',
    (_, failure, failures = 1) => {
      const { message } = toError(failure, failedCall(cancel, { failures }))
      expect(message).toContain('Whether the job job_1 is cancelled is not known: read its status with `jobs.get`.')
    },
  )

  test.each([404, 409])('adds nothing to the error response %i', (status) => {
    for (const operation of [poll, cancel]) {
      expect(toError(failedResponse(status, ERROR_BODY), failedCall(operation)).message).toMatch(/\)\.$/)
    }
  })
})
