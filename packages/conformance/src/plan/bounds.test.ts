import { expect, it } from 'vitest'
import { at } from '../json.ts'
import { largestInput, smallestInput } from './edge-inputs.ts'
import { sampleInput } from './sample-input.ts'
import { violationsOf } from './violations.ts'

const schemaOf = (seed: object) => ({ properties: { seed: { type: 'integer', ...seed } }, required: ['seed'] })
const seedsOf = (seed: object) =>
  violationsOf({ input: {}, inputSchema: schemaOf(seed) })
    .filter(({ rule }) => rule === 'minimum' || rule === 'maximum')
    .map(({ input }) => at(input, '/seed'))

it('a value outside of a 64-bit bound is not the bound itself', () => {
  expect(seedsOf({ minimum: -(2 ** 63), maximum: 2 ** 64 })).toEqual([-(2 ** 64), 2 ** 65])
  expect(seedsOf({ minimum: 2 ** 60, maximum: -(2 ** 60) })).toEqual([0, 0])
  expect(seedsOf({ minimum: 0, maximum: 4 })).toEqual([-1, 5])
})

it('a bound that a double cannot pass is not tried', () => {
  expect(seedsOf({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE })).toEqual([])
})

it('an input does not stand on a bound that was rounded', () => {
  const inputSchema = schemaOf({ minimum: -(2 ** 63), maximum: 2 ** 63 })
  expect(sampleInput(inputSchema)).toEqual({ seed: 1 })
  expect(smallestInput({ input: { seed: 1 }, inputSchema })).toEqual({ seed: 1 })
  expect(largestInput({ input: { seed: 1 }, inputSchema })).toEqual({ seed: 1 })
})
