import { ROUTES } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
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
import { ConfigurationError } from '../errors/local-errors.ts'
import {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  InvalidResponseError,
} from '../errors/transport-errors.ts'
import { cancelJobOperation } from '../jobs/cancel-job.ts'
import { getJobOperation } from '../jobs/get-job.ts'
import { runOperation } from '../runs/run-operation.ts'
import type { Failure, Interruption, InterruptionKind, Operation } from './operation.ts'
import { type FailedCall, toError } from './to-error.ts'

const run = runOperation('aurora-image', { input: {} })
const list: Operation<unknown> = { route: ROUTES.listModels, read: () => undefined }
const cancel = cancelJobOperation('job_1')
const look = getJobOperation('job_1')

const REFUSED = 'The run was rejected: nothing is charged.'
const NOT_SENT = 'The run was not sent: nothing is charged.'
const UNKNOWN = 'The service may have accepted the run and may charge it, so it was not sent again.'

const call = (operation: Operation<unknown>, more: Partial<FailedCall> = {}): FailedCall => ({
  operation,
  label: `${operation.route.method} /v1/path`,
  baseUrl: 'https://api.example.com',
  isKeyless: false,
  timeoutMs: 30_000,
  deadlineMs: 60_000,
  attempts: [{ startedAt: 0, durationMs: 1, reason: 'test' }],
  retryAfterMs: undefined,
  isRetryable: false,
  ...more,
})

function answer(status: number, body: unknown, headers: Record<string, string> = {}): AnswerFailure {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { kind: 'answer', answer: { status, text, isCut: false, response: new Response(null, { status, headers }) } }
}

type AnswerFailure = Extract<Failure, { kind: 'answer' }>

const errorBody = { error: { code: 'SOME_CODE', message: 'Some message' } }

const interruption = (kind: InterruptionKind, submission: 'not_sent' | 'unknown', cause?: unknown): Interruption => ({
  kind,
  reason: 'ECONNRESET',
  submission,
  cause,
})

describe('an error answer to a run (section 7)', () => {
  test.each([
    [400, InvalidRequestError, 'invalid_request', 'rejected'],
    [401, AuthenticationError, 'authentication_failed', 'rejected'],
    [402, InsufficientCreditsError, 'insufficient_credits', 'rejected'],
    [403, PermissionDeniedError, 'permission_denied', 'rejected'],
    [404, NotFoundError, 'not_found', 'rejected'],
    [405, ApiError, 'api_error', 'rejected'],
    [408, ApiError, 'api_error', 'unknown'],
    [409, ConflictError, 'conflict', 'rejected'],
    [410, ApiError, 'api_error', 'rejected'],
    [413, ApiError, 'api_error', 'rejected'],
    [415, ApiError, 'api_error', 'rejected'],
    [418, ApiError, 'api_error', 'rejected'],
    [422, InvalidRequestError, 'invalid_request', 'rejected'],
    [429, RateLimitError, 'rate_limited', 'rejected'],
    [500, ServerError, 'server_error', 'unknown'],
    [501, ServerError, 'server_error', 'unknown'],
    [502, ServerError, 'server_error', 'unknown'],
    [503, ServerError, 'server_error', 'unknown'],
    [504, ServerError, 'server_error', 'unknown'],
    [522, ServerError, 'server_error', 'unknown'],
  ] as const)('with the status %i has the class, the code and the submission of its status', (...row) => {
    const [status, type, code, submission] = row
    const error = toError(answer(status, errorBody, { 'x-request-id': 'req_1' }), call(run))
    expect(error.constructor).toBe(type)
    expect(error).toMatchObject({
      name: type.name,
      code,
      status,
      apiCode: 'SOME_CODE',
      body: errorBody,
      submission,
      requestId: 'req_1',
    })
    expect(error.message).toContain(`[SOME_CODE] Some message (HTTP ${status}, POST /v1/path, request req_1).`)
    expect(error.message).toContain(submission === 'rejected' ? REFUSED : UNKNOWN)
  })

  test('of 503 with Retry-After is a refusal', () => {
    const error = toError(answer(503, errorBody), call(run, { retryAfterMs: 2_000 }))
    expect(error).toMatchObject({ submission: 'rejected', retryAfterMs: 2_000 })
    expect(error.message).toContain(REFUSED)
  })

  test('of 407 says that it is from a proxy, and what that wants', () => {
    const error = toError(answer(407, ''), call(run))
    expect(error).toMatchObject({ submission: 'rejected', message: expect.stringContaining('comes from a proxy') })
  })

  test('of 403 names the permission that the call needs (section 5.4)', () => {
    expect(toError(answer(403, errorBody), call(run)).message).toContain('needs the permission models:run.')
    expect(toError(answer(403, errorBody), call(cancel)).message).toContain('needs the permission jobs:write.')
  })

  test('of 429 says how long to wait', () => {
    const error = toError(answer(429, errorBody), call(run, { retryAfterMs: 90_000 }))
    expect(error.message).toContain('The service asks to wait 90000 ms.')
  })

  test.each(['<html>Bad gateway</html>', '', '{"error":"text"}', '{"message":"x"}', '[]', 'null'])(
    'with the foreign body %j keeps it and says that it is not the service that speaks',
    (text) => {
      const error = toError(answer(502, text), call(run))
      if (!(error instanceof ApiError)) throw error
      expect(error.apiCode).toBeUndefined()
      expect(error.body).toEqual(text.startsWith('<') || text === '' ? text : (JSON.parse(text) ?? text))
      expect(error.message).toMatch(/^The service answered without an error body of its own \(HTTP 502, POST/)
    },
  )
})

describe('an interrupted run', () => {
  test.each([
    ['connection', ConnectionError, 'POST /v1/path failed: ECONNRESET at https://api.example.com.'],
    ['timeout', AttemptTimeoutError, 'got no complete answer within 30000 ms.'],
    ['aborted', AbortedError, 'was aborted by the caller.'],
    ['deadline', DeadlineExceededError, 'did not finish within deadlineMs (60000 ms).'],
    ['no_key', ConfigurationError, 'was not sent, because ECONNRESET.'],
  ] as const)('by %s has the class of that and says what became of it', (kind, type, sentence) => {
    const cause = new Error('deeper')
    for (const submission of ['not_sent', 'unknown'] as const) {
      const error = toError(interruption(kind, submission, cause), call(run))
      expect(error.constructor).toBe(type)
      expect(error).toMatchObject({ submission, cause })
      expect(error.message).toContain(sentence)
      expect(error.message).toContain(submission === 'not_sent' ? NOT_SENT : UNKNOWN)
    }
  })

  test('tells how often it was tried', () => {
    const attempt = { startedAt: 0, durationMs: 1, reason: 'ECONNREFUSED' }
    const error = toError(interruption('connection', 'not_sent'), call(run, { attempts: [attempt, attempt] }))
    expect(error.message).toContain('failed after 2 attempts: ECONNRESET')
    expect(error.attempts).toEqual([attempt, attempt])
  })
})

describe('an answer that cannot be read', () => {
  test('leaves open what became of a run, which is not to be repeated', () => {
    const error = toError({ ...answer(200, '<html>'), problem: 'the body is not JSON' }, call(run))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ status: 200, submission: 'unknown', isRetryable: false })
    expect(error.message).toContain('got an answer (HTTP 200) that cannot be read: the body is not JSON.')
    expect(error.message).toContain(UNKNOWN)
  })

  test.each([
    ['a web page, which may pass', '<html>', true],
    ['JSON of a wrong shape, which stays so', '{"job":1}', false],
  ])('of a read is %s', (_, text, isRetryable) => {
    const error = toError({ ...answer(200, text), problem: 'test' }, call(list))
    expect(error).toMatchObject({ isRetryable, submission: 'not_sent' })
  })

  test.each([301, 302, 303, 307, 308])('may be the redirect %i, which is not followed', (status) => {
    const failure = answer(status, '', { location: 'https://elsewhere.example.com/secret?token=1' })
    const error = toError(failure, call(list))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error.isRetryable).toBe(false)
    expect(error.message).toContain(
      'it is a redirect to https://elsewhere.example.com, which the client does not follow',
    )
    expect(error.message).not.toContain('secret')
  })

  test('may be a redirect of a browser, which hides its status', () => {
    const response = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
    const error = toError({ kind: 'answer', answer: { status: 0, text: '', isCut: false, response } }, call(list))
    expect(error.message).toContain('it is a redirect, which the client does not follow')
  })
})

describe('a failed call about a job', () => {
  test('names the job that had been named before the caller aborted', () => {
    const { answer: partial } = answer(202, '{"job_id":"job_9","status":"queued"')
    const error = toError({ ...interruption('aborted', 'unknown'), partial }, call(run))
    expect(error).toMatchObject({ name: 'AbortedError', jobId: 'job_9', submission: 'accepted' })
    expect(error.message).toContain('The service had accepted the run: see `error.jobId`.')
  })

  test.each([
    ['accepted, when the service itself named the job', true, 'accepted'],
    ['unknown, when only the caller named it', false, 'unknown'],
  ] as const)('is %s', (_, isJobConfirmed, submission) => {
    expect(toError(answer(404, errorBody), call({ ...look, isJobConfirmed })).submission).toBe(submission)
    expect(toError(interruption('connection', 'not_sent'), call({ ...look, isJobConfirmed })).submission).toBe(
      submission,
    )
  })

  test('says that a job which was only polled is not affected', () => {
    const error = toError(interruption('connection', 'unknown'), call(look))
    expect(error).toMatchObject({ jobId: 'job_1' })
    expect(error.message).toMatch(/The job job_1 is not affected\.$/)
  })

  test.each([
    ['a connection that broke', interruption('connection', 'unknown')],
    ['a time limit', interruption('timeout', 'unknown')],
    ['a server error', answer(500, errorBody)],
    ['an unreadable answer', { ...answer(200, '<html>'), problem: 'the body is a web page' }],
  ])('does not promise that a job lives after a cancel that ended with %s (section 4.5)', (_, failure) => {
    const { message } = toError(failure, call(cancel))
    expect(message).toContain('Whether the job job_1 is cancelled is not known: look at it with `jobs.get`.')
  })

  test('knows that a cancel which was never sent did nothing (section 4.5)', () => {
    const { message } = toError(interruption('connection', 'not_sent'), call(cancel))
    expect(message).toMatch(/The job job_1 is not affected\.$/)
  })

  test('does not say so when an earlier attempt may have arrived (section 4.5)', () => {
    const attempt = { startedAt: 0, durationMs: 1, reason: 'ECONNRESET' }
    const { message } = toError(interruption('connection', 'not_sent'), call(cancel, { attempts: [attempt, attempt] }))
    expect(message).toContain('is not known')
  })

  test.each([404, 409])('lets the refusal %i speak for itself', (status) => {
    for (const operation of [look, cancel]) {
      expect(toError(answer(status, errorBody), call(operation)).message).toMatch(/\)\.$/)
    }
  })
})
