import { describe, expect, test } from 'vitest'
import { ERROR_BODY, failedResponse, interruption } from '../../../test/failed-calls.ts'
import type { Failure, RequestMethod } from './operation.ts'
import { isWorthRetrying, retryDelayMs, submissionAfter } from './status-policy.ts'

const unreadable = (isCut: boolean): Failure => {
  const failure = failedResponse(200, '')
  return { ...failure, problem: 'it is bad', received: { ...failure.received, isCut } }
}

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

  test('is unknown after an unreadable response, and else what the interruption says', () => {
    expect(submissionAfter(unreadable(false))).toBe('unknown')
    expect(submissionAfter(interruption('connection', 'unknown'))).toBe('unknown')
    expect(submissionAfter(interruption('connection', 'not_sent'))).toBe('not_sent')
  })
})

describe('isWorthRetrying', () => {
  test.each(['GET', 'DELETE'] as const)('sends a %s again after these statuses, from any sender', (method) => {
    for (const [, text] of BODIES) {
      const retried = STATUSES.filter((status) => isWorthRetrying(method, failedResponse(status, text)))
      expect(retried).toEqual([408, 429, 500, 502, 503, 504])
    }
  })

  test.each([
    ['connection', 'unknown', ['GET', 'DELETE']],
    ['connection', 'not_sent', ['GET', 'DELETE', 'POST']],
    ['timeout', 'unknown', ['GET', 'DELETE']],
    ['aborted', 'unknown', []],
    ['deadline', 'unknown', []],
    ['no_key', 'not_sent', []],
  ] as const)('after an end by %s (%s) sends again %j', (kind, submission, expected) => {
    const failure = interruption(kind, submission)
    expect((['GET', 'DELETE', 'POST'] as const).filter((method) => isWorthRetrying(method, failure))).toEqual(expected)
  })

  test.each([
    ['GET', true],
    ['DELETE', true],
    ['POST', false],
  ] as const satisfies [RequestMethod, boolean][])('repeats a %s whose response was cut: %j', (method, expected) => {
    expect(isWorthRetrying(method, unreadable(true))).toBe(expected)
    // A wrong shape stays.
    expect(isWorthRetrying(method, unreadable(false))).toBe(false)
  })
})

describe('retryDelayMs', () => {
  const maximum = (retryCount: number) => retryDelayMs({ retryCount, retryAfterMs: undefined, random: () => 1 })

  test('doubles from 500 ms up to 8 s', () => {
    expect([0, 1, 2, 3, 4, 5, 40].map(maximum)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  })

  test('jitters over the full range', () => {
    const delays = [0, 0.25, 0.999].map((value) =>
      retryDelayMs({ retryCount: 1, retryAfterMs: undefined, random: () => value }),
    )
    expect(delays).toEqual([0, 250, 999])
  })

  test('obeys Retry-After exactly, without jitter, up to 60 s', () => {
    for (const retryAfterMs of [0, 7_000, 60_000]) {
      expect(retryDelayMs({ retryCount: 3, retryAfterMs, random: () => 0.5 })).toBe(retryAfterMs)
    }
  })

  test('gives up at once when the service asks for more than 60 s', () => {
    expect(retryDelayMs({ retryCount: 0, retryAfterMs: 60_001, random: () => 0 })).toBeUndefined()
  })
})
