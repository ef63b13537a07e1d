import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseRetryAfter, retryAfterMs } from './retry-after.ts'

/** An example date of RFC 9110, in each of its three forms. */
const NOW = Date.UTC(1994, 10, 6, 8, 49, 7)

describe('parseRetryAfter', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    ['1.5', 1_500],
    ['1.25', 1_250],
    [' 120 ', 120_000],
    ['86400', 86_400_000],
    // From headers that are a Map.
    [7 as unknown as string, 7_000],
  ])('reads %j as seconds', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected)
  })

  test.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'reads the date %j in GMT, wherever the program runs',
    (header) => {
      for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
        vi.stubEnv('TZ', zone)
        expect(parseRetryAfter(header, NOW)).toBe(30_000)
      }
    },
  )

  test('reads a date that has passed as no wait', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:06 GMT', NOW)).toBe(0)
  })

  const wrong = ['', 'soon', '-5', '+5', '1e3', '5, 5', 'Infinity', '2026-01-01', 'Sun, 99 Foo', 'Mondays']
  test.each([null, ...wrong, 'on Sun, 06 Nov 1994 08:49:37 GMT'])('ignores %j', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined()
  })

  test('stays finite for a number that is too large for one', () => {
    expect(parseRetryAfter('9'.repeat(400), NOW)).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('never gives NaN, infinity or a negative number', () => {
    const weekday = fc.constantFrom('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')
    const date = fc.date({ noInvalidDate: true }).map((value) => value.toUTCString())
    const almostDate = fc.tuple(weekday, fc.string()).map(([day, rest]) => `${day}${rest}`)
    const header = fc.oneof(fc.string(), fc.double().map(String), fc.nat().map(String), date, almostDate)
    fc.assert(
      fc.property(header, fc.integer({ min: 0, max: 2 ** 45 }), (value, now) => {
        const delayMs = parseRetryAfter(value, now)
        return delayMs === undefined || (Number.isFinite(delayMs) && delayMs >= 0)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('retryAfterMs', () => {
  const until = 'Sun, 06 Nov 1994 08:49:37 GMT'

  test.each([
    ['the same clock', { 'retry-after': until, date: 'Sun, 06 Nov 1994 08:49:07 GMT' }, 30_000],
    [
      'a clock that is an hour ahead',
      { 'retry-after': 'Sun, 06 Nov 1994 09:49:08 GMT', date: 'Sun, 06 Nov 1994 09:49:07 GMT' },
      1_000,
    ],
    [
      'a clock that is an hour behind',
      { 'retry-after': 'Sun, 06 Nov 1994 07:49:08 GMT', date: 'Sun, 06 Nov 1994 07:49:07 GMT' },
      1_000,
    ],
    ['no date', { 'retry-after': until }, 30_000],
    ['a date that is none', { 'retry-after': until, date: 'today' }, 30_000],
    ['seconds', { 'retry-after': '7', date: 'Sun, 06 Nov 1994 09:49:07 GMT' }, 7_000],
  ])('counts a date from that of the response: %s', (_, headers, expected) => {
    expect(retryAfterMs(new Headers(headers), NOW)).toBe(expected)
  })
})
