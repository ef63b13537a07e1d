import { expect, it } from 'vitest'
import { largestInput, smallestInput } from './edge-inputs.ts'

const properties = {
  prompt: { type: 'string' },
  size: { enum: ['s', 'm', 'l'], default: 'm' },
  style: { enum: ['a', 'b'] },
  count: { minimum: 1, maximum: 4 },
}
const target = { input: { prompt: 'a fox' }, inputSchema: { type: 'object', properties } }

it('makes the smallest and the largest input that the schema permits', () => {
  expect(smallestInput(target)).toEqual({ prompt: 'a fox', size: 'l', style: 'b', count: 1 })
  expect(largestInput(target)).toEqual({ prompt: 'a fox', size: 'm', style: 'a', count: 4 })
})
