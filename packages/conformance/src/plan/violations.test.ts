import { expect, it } from 'vitest'
import { violationsOf } from './violations.ts'

const inputSchema = {
  type: 'object',
  properties: {
    prompt: { type: 'string' },
    size: { type: 'string', enum: ['s', 'm', 'l'], default: 'm' },
    count: { type: 'integer', minimum: 1, maximum: 4 },
    tiled: { type: 'boolean' },
  },
  required: ['prompt'],
}
const target = { input: { prompt: 'a fox' }, inputSchema }

it('breaks every rule of every parameter, one at a time', () => {
  expect(violationsOf(target)).toEqual([
    { rule: 'required', wrong: 'no prompt', input: {} },
    { rule: 'type', wrong: 'a number as prompt', input: { prompt: 7 } },
    { rule: 'type', wrong: 'an object as prompt', input: { prompt: { conformance: true } } },
    { rule: 'type', wrong: 'a number as size', input: { prompt: 'a fox', size: 7 } },
    {
      rule: 'enum',
      wrong: 'a value outside the enum as size',
      input: { prompt: 'a fox', size: 'conformance-no-such-value' },
    },
    { rule: 'type', wrong: 'a number in quotes as count', input: { prompt: 'a fox', count: '2' } },
    { rule: 'type', wrong: 'a fraction as count', input: { prompt: 'a fox', count: 1.5 } },
    { rule: 'minimum', wrong: 'a value below the minimum as count', input: { prompt: 'a fox', count: 0 } },
    { rule: 'maximum', wrong: 'a value above the maximum as count', input: { prompt: 'a fox', count: 5 } },
    { rule: 'type', wrong: 'a text as tiled', input: { prompt: 'a fox', tiled: 'yes' } },
  ])
})

it('takes nothing for a violation where the schema has no rules, and 20 at most', () => {
  expect(violationsOf({ input: {}, inputSchema: { properties: { any: {}, special: 'text' } } })).toEqual([])
  const properties = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, { type: 'number' }]))
  expect(violationsOf({ input: {}, inputSchema: { properties } })).toHaveLength(20)
})
