import { expect, it } from 'vitest'
import { isUtcTimestamp } from './utc-timestamp.ts'

it.each([
  '2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00.123Z',
  '2026-01-31T09:30Z',
  '2026-01-31T09:30:00+00:00',
  '20260131T093000Z',
  '20260131T093000,5+00',
])('%s is a time of ISO 8601 in UTC', (text) => {
  expect(isUtcTimestamp(text)).toBe(true)
})

it.each([
  '2026-01-31T10:30:00+01:00',
  '2026-01-31T09:30:00',
  '2026-13-31T09:30:00Z',
  '2026-01-31',
  'Sat, 31 Jan 2026 09:30:00 GMT',
  1_769_851_800,
])('%s is not', (value) => {
  expect(isUtcTimestamp(value)).toBe(false)
})
