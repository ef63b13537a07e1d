import { describe, expect, test } from 'vitest'
import { ERROR_BODY, failedResponse } from '../../../test/failed-calls.ts'
import { isWorthRetrying, submissionAfter } from './status-policy.ts'

const STATUSES = [
  300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 425, 429, 500, 501,
  502, 503, 504, 522,
]

/** What a response may have besides its status. `isOfService`: an error body of the service, which names no job. */
const BODIES = [
  ['an error body of the service', JSON.stringify(ERROR_BODY), true],
  ['an error body that names a job', JSON.stringify({ error: { ...ERROR_BODY.error, job_id: 'job_1' } }), false],
  ['a job beside the error', JSON.stringify({ ...ERROR_BODY, job_id: 'job_1' }), false],
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
  test.each(BODIES)('is decided by the status and by who wrote it, with %s', (title, text, isOfService) => {
    const rejected = CASES.filter((one) => submissionAfter(after(one, text)) === 'rejected')
    const isAnnounced = ({ retryAfter }: (typeof CASES)[number]) => retryAfter !== undefined && retryAfter !== 'soon'
    const expected = CASES.filter((one) =>
      one.status === 503
        ? isOfService && isAnnounced(one)
        : (one.status >= 400 && one.status < 500 && one.status !== 408) ||
          // They ask for the same request elsewhere. 302 and 303 may follow a POST that was handled.
          ([301, 307, 308].includes(one.status) && !title.includes('job')),
    )
    expect(rejected).toEqual(expected)
    // Of these, the ones that may pass. Something in front of the service may have limited the rate after the run was accepted.
    const mayPass = title.includes('job') ? [] : [429, 503]
    const sentAgain = CASES.filter((one) => isWorthRetrying('POST', after(one, text)))
    expect(sentAgain).toEqual(expected.filter(({ status }) => mayPass.includes(status)))
  })
})

describe('isWorthRetrying', () => {
  test.each(['GET', 'DELETE'] as const)('sends a %s again after these statuses, from any sender', (method) => {
    for (const [, text] of BODIES) {
      const retried = STATUSES.filter((status) => isWorthRetrying(method, failedResponse(status, text)))
      expect(retried).toEqual([408, 429, 500, 502, 503, 504])
    }
  })
})
