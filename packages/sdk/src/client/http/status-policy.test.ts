import { describe, expect, test } from 'vitest'
import { ERROR_BODY, failedResponse } from '../../../test/failed-calls.ts'
import { runIn } from './run-in-response.ts'
import { isWorthRetrying, submissionAfter } from './status-policy.ts'

const STATUSES = [
  300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 425, 429, 499, 500,
  501, 502, 503, 504, 522,
]

/** What a response may have besides its status. `isOfService`: an error body of the service, which names no job. */
const BODIES = [
  ['an error body of the service', JSON.stringify(ERROR_BODY), true],
  ['a web page', '<!doctype html><title>Service Unavailable</title>', false],
  ['no body', '', false],
  ['JSON of a gateway', '{"message":"no Route matched"}', false],
  ['a code that is a number', '{"error":{"code":503,"message":"unavailable"}}', false],
  ['an error body that is cut', JSON.stringify(ERROR_BODY).slice(0, -1), false],
] as const
const RETRY_AFTER = [undefined, '5', '0', 'Wed, 21 Oct 2026 07:28:00 GMT', 'soon', '86400'] as const

const CASES = STATUSES.flatMap((status) => RETRY_AFTER.map((retryAfter) => ({ status, retryAfter })))
const after = ({ status, retryAfter }: (typeof CASES)[number], text: string) =>
  failedResponse(status, text, retryAfter === undefined ? {} : { 'retry-after': retryAfter })

describe('submissionAfter', () => {
  test.each(BODIES)('is decided by the status and by who wrote it, with %s', (_, text, isOfService) => {
    const rejected = CASES.filter((one) => submissionAfter(after(one, text)) === 'rejected')
    const isAnnounced = ({ retryAfter }: (typeof CASES)[number]) => retryAfter !== undefined && retryAfter !== 'soon'
    const expected = CASES.filter((one) =>
      one.status === 503
        ? isOfService && isAnnounced(one)
        : (one.status >= 400 && one.status < 499 && one.status !== 408) ||
          // They ask for the same request elsewhere. 302 and 303 may follow a POST that was handled.
          [301, 307, 308].includes(one.status),
    )
    expect(rejected).toEqual(expected)
    // Of these, the ones that may pass.
    const sentAgain = CASES.filter((one) => isWorthRetrying('POST', after(one, text)))
    expect(sentAgain).toEqual(expected.filter(({ status }) => [429, 503].includes(status)))
  })

  // What the specification gives only to a run that exists. Something in front of the service may have limited the rate of responses.
  const { error } = ERROR_BODY
  const job_id = 'job_1'
  test.each([
    [{ error: { ...error, job_id } }, job_id],
    [{ error: { ...error, details: { job_id } } }, job_id],
    [{ error: { ...error, jobs: [{ id: job_id }] } }, job_id],
    [{ error, job_id }, job_id],
    [{ error, jobId: 1 }, '1'],
    [{ error, job_id: [job_id] }, job_id],
    [{ error, job_id: {} }, undefined],
    [{ error, data: { id: job_id } }, job_id],
    [{ error, data: { status: 'processing' } }, undefined],
    [{ error, job: { id: job_id } }, job_id],
    [{ error, job: job_id }, job_id],
    [{ error, jobs: [{ job_id }] }, job_id],
    [{ error, jobs: ['job_2', 'job_3'], run: { id: job_id } }, job_id],
    [{ error, status: 'queued' }, undefined],
    [[{ error, status: 'Completed' }, {}], undefined],
    [{ error, output: { items: [{ job_id: 'job_old' }] } }, undefined],
    [{ error, job_id: 'a\nb' }, undefined],
    [{ error, credits_used: 4 }, undefined],
    [`{"error":${JSON.stringify(error)},"jobs":[{"job_id":"job_1"`, job_id],
    ['<html>"job_id":"job_1"</html>', undefined],
    [{ error, isLocated: true }, job_id],
  ])('is unknown when %j speaks of a run, whose job is named', (body, jobId) => {
    for (const status of [301, 307, 308, 400, 402, 409, 429, 503]) {
      const located = Object(body).isLocated ? { location: '/v1/jobs/job_1?a' } : {}
      const failure = failedResponse(status, body, { 'retry-after': '1', ...located })
      expect([submissionAfter(failure), isWorthRetrying('POST', failure)]).toEqual(['unknown', false])
      expect(runIn(failure.received)?.jobId).toBe(jobId)
    }
  })

  test.each([
    { error: { ...error, details: { credits_used: 100, input: { job_id, output: {} } } } },
    { id: 'rate_limit', message: 'Wait.', status: 'error', jobs: 3, data: null },
    { detail: [{ input: { job_id }, status: 'queued' }], request_id: 'r', status: 429 },
    { error, job_id: null, output: null, credits_used: null, data: {} },
    { jsonrpc: '2.0', id: 1, error: { ...error, data: { id: 'e' } } },
    { error: { ...error, details: { running: 2, jobs: [{ id: job_id, status: 'processing' }, { id: 'job_2' }] } } },
    { error, jobs: [job_id, 'job_2'], queue: { status: 'processing', length: 9 } },
    { error, quota: { credits_used: 990, credits_limit: 1_000 }, account: { status: 'pending' } },
    { error, job_id: '', status: 'failed', output: { type: '', items: [] }, credits_used: 0 },
    { message: 'Invalid.', received: { prompt: 'a', output: { items: [1] }, status: 'queued', job_id: 'job_sent' } },
    { type: 'about:blank', title: 'Too Many Requests', status: 429, detail: 'Wait.', instance: '/v1/jobs/job_1' },
    { success: false, errors: [{ code: 10013, message: 'Wait.' }], messages: [], result: null },
    { status: 'pending', title: 'Error 1015', ray_id: 'r' },
  ])('is rejected when %j speaks of nothing but an error', (body) => {
    const failure = failedResponse(429, body, { location: 'https://example.com/jobs/v1/models/m/run' })
    failure.received.sent = '{"input":{"job_id":"job_sent"}}'
    expect([submissionAfter(failure), isWorthRetrying('POST', failure)]).toEqual(['rejected', true])
  })
})

test.each(['GET', 'DELETE'] as const)(
  'isWorthRetrying sends a %s again after these statuses, from any sender',
  (method) => {
    for (const [, text] of BODIES) {
      const retried = STATUSES.filter((status) => isWorthRetrying(method, failedResponse(status, text)))
      expect(retried).toEqual([408, 429, 500, 502, 503, 504])
    }
  },
)
