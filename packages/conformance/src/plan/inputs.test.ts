import { describe, expect, it } from 'vitest'
import { at } from '../json.ts'
import { edgeInput, sampleInput, violationsOf } from './inputs.ts'

const schemaOf = (seed: object) => ({ properties: { seed: { type: 'integer', ...seed } }, required: ['seed'] })
const seedsOf = (seed: object) =>
  violationsOf({ input: {}, inputSchema: schemaOf(seed) })
    .filter(({ rule }) => rule === 'minimum' || rule === 'maximum')
    .map(({ input }) => at(input, '/seed'))

it('a bound that a double rounds is not tried', () => {
  expect(seedsOf({ minimum: 0, maximum: 4 })).toEqual([-1, 5])
  expect(seedsOf({ minimum: -(2 ** 63), maximum: 2 ** 64 })).toEqual([])
})

it('an input does not stand on a bound that was rounded', () => {
  const inputSchema = schemaOf({ minimum: -(2 ** 63), maximum: 2 ** 63 })
  expect(sampleInput(inputSchema)).toEqual({ seed: 1 })
  expect(edgeInput({ input: { seed: 1 }, inputSchema }, 'smallest')).toEqual({ seed: 1 })
  expect(edgeInput({ input: { seed: 1 }, inputSchema }, 'largest')).toEqual({ seed: 1 })
})

const properties = {
  prompt: { type: 'string' },
  size: { enum: ['s', 'm', 'l'], default: 'm' },
  style: { enum: ['a', 'b'] },
  count: { minimum: 1, maximum: 4 },
}
const target = { input: { prompt: 'a fox' }, inputSchema: { type: 'object', properties } }

it('makes the smallest and the largest input that the schema permits', () => {
  expect(edgeInput(target, 'smallest')).toEqual({ prompt: 'a fox', size: 'm', style: 'a', count: 1 })
  expect(edgeInput(target, 'largest')).toEqual({ prompt: 'a fox', size: 'l', style: 'b', count: 4 })
})

const schema = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})

describe('sampleInput', () => {
  it('fills in what is mandatory, and nothing else (section 2.3)', () => {
    const properties = { prompt: { type: 'string' }, seed: { type: 'integer' } }
    expect(sampleInput(schema(properties, ['prompt']))).toEqual({ prompt: expect.any(String) })
  })

  it('takes the default, else the first allowed value, else the minimum, else a plain value', () => {
    const properties = {
      size: { type: 'string', enum: ['s', 'm'], default: 'm' },
      style: { type: 'string', enum: ['a', 'b'] },
      count: { type: 'integer', minimum: 3 },
      scale: { type: 'number' },
      loop: { type: 'boolean' },
    }
    expect(sampleInput(schema(properties))).toEqual({ size: 'm', style: 'a', count: 3, scale: 1, loop: false })
  })

  it('gives up on what cannot be made up: addresses, lists, objects, names without a property', () => {
    expect(sampleInput(schema({ image_url: { type: 'string' } }))).toBeUndefined()
    expect(sampleInput(schema({ source: { type: 'string', description: 'URL of an image.' } }))).toBeUndefined()
    expect(sampleInput(schema({ points: { type: 'array' } }))).toBeUndefined()
    expect(sampleInput(schema({}, ['prompt']))).toBeUndefined()
  })
})

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
const fox = { input: { prompt: 'a fox' }, inputSchema }

it('breaks every rule of every parameter, one at a time', () => {
  expect(violationsOf(fox)).toEqual([
    { rule: 'required', wrong: 'no prompt', input: {} },
    { rule: 'type', wrong: 'prompt is 7', input: { prompt: 7 } },
    {
      rule: 'type',
      wrong: 'prompt is {"conformance":true}',
      input: { prompt: { conformance: true } },
    },
    { rule: 'type', wrong: 'size is 7', input: { prompt: 'a fox', size: 7 } },
    {
      rule: 'enum',
      wrong: 'size is "conformance-no-such-value"',
      input: { prompt: 'a fox', size: 'conformance-no-such-value' },
    },
    { rule: 'type', wrong: 'count is "2"', input: { prompt: 'a fox', count: '2' } },
    { rule: 'type', wrong: 'count is 1.5', input: { prompt: 'a fox', count: 1.5 } },
    {
      rule: 'minimum',
      wrong: 'count is 0',
      input: { prompt: 'a fox', count: 0 },
    },
    {
      rule: 'maximum',
      wrong: 'count is 5',
      input: { prompt: 'a fox', count: 5 },
    },
    { rule: 'type', wrong: 'tiled is "yes"', input: { prompt: 'a fox', tiled: 'yes' } },
  ])
})

it('takes nothing for a violation where the schema has no rules, and 20 at most', () => {
  expect(violationsOf({ input: {}, inputSchema: { properties: { any: {}, special: 'text' } } })).toEqual([])
  const properties = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, { type: 'number' }]))
  expect(violationsOf({ input: {}, inputSchema: { properties } })).toHaveLength(20)
})
