import { expect, test } from 'vitest'
import { LIMITS } from './limits.ts'

test('holds the limits of section 8', () => {
  expect(LIMITS).toEqual({
    modelsPageDefault: 20,
    modelsPageMax: 100,
    syncWaitMs: 55_000,
    webhookAckMs: 10_000,
    webhookRetries: 0,
  })
})
