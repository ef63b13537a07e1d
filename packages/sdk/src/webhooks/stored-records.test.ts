import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { readStoredContext, readStoredDelivery, type StoredDelivery } from './stored-records.ts'

const { succeeded, failed } = fixtures.webhooks
const { credits_used: _, completed_at: __, ...polled } = succeeded.body
const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('readStoredDelivery', () => {
  test.each<[string, StoredDelivery]>([
    ['a success', { source: 'webhook', token: 'none', event: succeeded.body, receivedAt: 7 }],
    [
      'one with a field that is newer',
      { source: 'webhook', token: 'none', event: { ...succeeded.body, seed: 7 } as never, receivedAt: 7 },
    ],
    ['a result that was polled', { source: 'poll', token: 'none', event: polled, receivedAt: 7 }],
    [
      'a failure',
      { source: 'webhook', token: 'genuine', ref: 'x', event: failed.body, isConfirmed: true, receivedAt: 7 },
    ],
    [
      'an unknown event',
      {
        source: 'webhook',
        token: 'expired',
        ref: 'x',
        event: { status: 'unknown', job_id: 'a', reported_status: 'b', payload: { job_id: 'a', deep: [{ c: null }] } },
        receivedAt: 7,
      },
    ],
  ])('gives back %s as it was', (_name, delivery) => {
    expect(readStoredDelivery(through(delivery))).toEqual(delivery)
  })

  test.each([
    undefined,
    null,
    'text',
    {},
    { source: 'mail', token: 'none', event: succeeded.body, receivedAt: 7 },
    { source: 'webhook', token: 'none', event: succeeded.body },
    { source: 'webhook', token: 'none', event: { job_id: 'a' }, receivedAt: 7 },
    { source: 'webhook', token: 'none', event: { ...succeeded.body, output: undefined }, receivedAt: 7 },
    { source: 'webhook', token: 'none', event: { ...failed.body, error: 'x' }, receivedAt: 7 },
  ])('takes nothing else: %j', (value) => {
    expect(readStoredDelivery(value)).toBeUndefined()
  })
})

describe('readStoredContext', () => {
  test('gives back what was noted, and undefined for what is not readable', () => {
    const full = { modelId: 'm', ref: 'r', context: { a: 1 }, isPrepared: true, notedAt: 7 }
    expect(readStoredContext(through(full))).toEqual(full)
    expect(readStoredContext({ notedAt: 7 })).toEqual({ notedAt: 7 })
    for (const value of [undefined, null, {}, { notedAt: 'x' }]) expect(readStoredContext(value)).toBeUndefined()
  })
})
