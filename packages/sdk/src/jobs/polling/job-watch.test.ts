import { expect, test } from 'vitest'
import type { CallOptions } from '../../http/operation.ts'
import { pollKey } from './job-watch.ts'

const [first, second] = [{ dispatcher: 1 }, { dispatcher: 2 }]
const numbers = new Map<object, number>([
  [first, 1],
  [second, 2],
])
const keyOf = (options: CallOptions) => pollKey({ jobId: 'job_1' }, options, (given) => numbers.get(given) ?? 0)

test('waits whose polls are the same share a key', () => {
  const pairs: [CallOptions, CallOptions][] = [
    [{}, { maxRetries: 1, signal: new AbortController().signal }],
    [{ timeoutMs: 1 }, { timeoutMs: 1 }],
    [{ headers: { 'x-a': '1' } }, { headers: [['x-a', '1']] }],
    [{ fetchOptions: first }, { fetchOptions: first }],
  ]
  for (const [one, other] of pairs) expect(keyOf(one)).toBe(keyOf(other))
})

test('waits whose polls differ in anything have keys of their own', () => {
  const keys = [
    {},
    { timeoutMs: 1 },
    { timeoutMs: 2 },
    { headers: { 'x-a': '1' } },
    { headers: { 'x-a': '2' } },
    { headers: { 'x-a': '1' }, timeoutMs: 1 },
    { fetchOptions: first },
    { fetchOptions: second },
  ].map(keyOf)
  expect(new Set(keys).size).toBe(keys.length)
})
