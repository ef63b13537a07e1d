import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

const succeeded = fixtures.webhooks.succeeded.body

describe('fingerprintOf', () => {
  test('is equal for a delivery and for the same result found by looking at the job', () => {
    const { credits_used: _, completed_at: __, ...polled } = succeeded
    expect(fingerprintOf(polled)).toBe(fingerprintOf({ ...succeeded, output: structuredClone(succeeded.output) }))
  })

  test('differs when anything of the result does', () => {
    const outputs = fc.record({
      type: fc.string(),
      items: fc.array(fc.record({ type: fc.string(), url: fc.string() })),
    })
    fc.assert(
      fc.property(outputs, outputs, (a, b) => {
        const isSame = JSON.stringify(a) === JSON.stringify(b)
        return isSame === (fingerprintOf({ ...succeeded, output: a }) === fingerprintOf({ ...succeeded, output: b }))
      }),
      { numRuns: 2_000 },
    )
  })

  test('differs between a success, a failure and an unknown event', () => {
    const { job_id } = succeeded
    const failed = { job_id, status: 'failed', error: { code: 'X', message: 'x' } } as const
    const unknown = { job_id, status: 'unknown', payload: {} } as const
    expect(new Set([succeeded, failed, unknown].map(fingerprintOf)).size).toBe(3)
  })

  test('fits into a store, however long the delivery is', () => {
    const output = {
      type: 'image',
      items: Array.from({ length: 1_000 }, () => ({ type: 'image', url: 'x'.repeat(99) })),
    }
    expect(fingerprintOf({ ...succeeded, output }).length).toBeLessThan(30)
  })
})
