import { describe, expect, test } from 'vitest'
import type { Failure, InterruptionKind } from './operation.ts'
import { isWorthRetrying, retryDelayMs } from './status-policy.ts'

const received = (status: number, more: { problem?: string; isCut?: boolean } = {}): Failure => ({
  kind: 'response',
  received: { status, text: '', response: new Response(null), isCut: more.isCut ?? false },
  problem: more.problem,
})

const interruption = (kind: InterruptionKind, submission: 'not_sent' | 'unknown'): Failure => ({
  kind,
  reason: 'test',
  submission,
  cause: undefined,
})

const STATUSES = [
  300, 302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 425, 429, 500, 501, 502, 503, 504, 522,
]

function retriedStatuses(method: 'GET' | 'POST' | 'DELETE', retryAfterMs?: number): number[] {
  return STATUSES.filter((status) => isWorthRetrying(method, received(status), retryAfterMs))
}

describe('isWorthRetrying', () => {
  test.each(['GET', 'DELETE'] as const)(
    'sends a %s again after these statuses, with Retry-After or without',
    (method) => {
      expect(retriedStatuses(method)).toEqual([408, 429, 500, 502, 503, 504])
      expect(retriedStatuses(method, 1_000)).toEqual([408, 429, 500, 502, 503, 504])
    },
  )

  test('sends a POST again after 429, and after 503 only when Retry-After says that nothing was done', () => {
    expect(retriedStatuses('POST')).toEqual([429])
    expect(retriedStatuses('POST', 0)).toEqual([429, 503])
  })

  test.each([
    ['GET', 'connection', 'unknown', true],
    ['GET', 'connection', 'not_sent', true],
    ['GET', 'timeout', 'unknown', true],
    ['GET', 'aborted', 'unknown', false],
    ['GET', 'deadline', 'unknown', false],
    ['GET', 'no_key', 'not_sent', false],
    ['DELETE', 'connection', 'unknown', true],
    ['DELETE', 'connection', 'not_sent', true],
    ['DELETE', 'timeout', 'unknown', true],
    ['DELETE', 'aborted', 'unknown', false],
    ['DELETE', 'deadline', 'unknown', false],
    ['DELETE', 'no_key', 'not_sent', false],
    ['POST', 'connection', 'unknown', false],
    ['POST', 'connection', 'not_sent', true],
    ['POST', 'timeout', 'unknown', false],
    ['POST', 'aborted', 'unknown', false],
    ['POST', 'deadline', 'unknown', false],
    ['POST', 'no_key', 'not_sent', false],
  ] as const)('a %s that ends by %s (%s) is sent again: %j', (...row) => {
    const [method, kind, submission, expected] = row
    expect(isWorthRetrying(method, interruption(kind, submission), undefined)).toBe(expected)
  })

  test('repeats a GET or DELETE whose response was cut, and never a run', () => {
    const cutResponse = received(200, { problem: 'cut', isCut: true })
    expect(isWorthRetrying('GET', cutResponse, undefined)).toBe(true)
    expect(isWorthRetrying('DELETE', cutResponse, undefined)).toBe(true)
    expect(isWorthRetrying('POST', cutResponse, undefined)).toBe(false)
  })

  test.each(['GET', 'DELETE', 'POST'] as const)(
    'does not repeat a request whose whole response has a wrong shape (%s)',
    (method) => {
      expect(isWorthRetrying(method, received(200, { problem: 'wrong shape' }), undefined)).toBe(false)
    },
  )
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
