import { expect, it } from 'vitest'
import { utcTimeOf } from './utc-timestamp.ts'

it.each([
  ['2026-01-31T09:30:00Z', 0],
  ['2026-01-31T09:30:00.123456Z', 123],
  ['2026-01-31T09:30Z', 0],
  ['2026-01-31T09:30:00+00:00', 0],
  ['20260131T093000Z', 0],
  ['20260131T093000,5+00', 500],
])('%s is a time of ISO 8601 in UTC', (text, ms) => {
  expect(utcTimeOf(text)).toBe(Date.UTC(2026, 0, 31, 9, 30) + ms)
})

it.each([
  '2026-01-31T10:30:00+01:00',
  '2026-01-31T09:30:00',
  '2026-13-31T09:30:00Z',
  '2026-01-31',
  'Sat, 31 Jan 2026 09:30:00 GMT',
  1_769_851_800,
])('%s is not', (value) => {
  expect(utcTimeOf(value)).toBeUndefined()
})
