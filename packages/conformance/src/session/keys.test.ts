import { expect, it } from 'vitest'
import { almostKeys } from './keys.ts'

it('differs from the key by one character, or by letter case', () => {
  expect(almostKeys('sk_test_aB3x')).toEqual(['sk_test_aB3xx', 'sk_test_aB3', 'sk_test_aB3y', 'sk_test_AB3X'])
})

it('leaves out what would be the key itself', () => {
  expect(almostKeys('sk_live_123')).toEqual(['sk_live_123x', 'sk_live_12', 'sk_live_12x'])
})
