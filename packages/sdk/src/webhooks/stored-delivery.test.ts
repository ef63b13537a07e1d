import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { readStoredContext, readStoredDelivery, type StoredDelivery } from './stored-delivery.ts'

const { succeeded, failed } = fixtures.webhooks
const { credits_used: _, completed_at: __, ...polled } = succeeded.body
const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('readStoredDelivery', () => {
  test.each<[string, StoredDelivery]>([
    ['a success', { source: 'webhook', token: 'none', event: succeeded.body }],
    [
      'one with a field that is newer',
      { source: 'webhook', token: 'none', event: { ...succeeded.body, seed: 7 } as never },
    ],
    ['a result that was polled', { source: 'poll', token: 'none', event: polled }],
    ['a failure', { source: 'webhook', token: 'genuine', ref: 'x', event: failed.body }],
    [
      'an unknown event',
      {
        source: 'webhook',
        token: 'expired',
        ref: 'x',
        event: { status: 'unknown', job_id: 'a', reported_status: 'b', payload: { job_id: 'a', deep: [{ c: null }] } },
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
    { source: 'mail', token: 'none', event: succeeded.body },
    { source: 'webhook', token: 'none', event: { job_id: 'a' } },
    { source: 'webhook', token: 'none', event: { ...succeeded.body, output: undefined } },
    { source: 'webhook', token: 'none', event: { ...failed.body, error: 'x' } },
  ])('takes nothing else: %j', (value) => {
    expect(readStoredDelivery(value)).toBeUndefined()
  })
})

describe('readStoredContext', () => {
  test('tells what nobody expected from what was expected without more', () => {
    expect(readStoredContext(undefined)).toBeUndefined()
    expect(readStoredContext({})).toEqual({})
    expect(readStoredContext({ modelId: 'm', context: { a: 1 }, isIntent: true })).toEqual({
      modelId: 'm',
      context: { a: 1 },
      isIntent: true,
    })
  })
})
