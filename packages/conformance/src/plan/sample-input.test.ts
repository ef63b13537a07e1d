import { describe, expect, it } from 'vitest'
import { sampleInput } from './sample-input.ts'

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
    expect(sampleInput(schema({ source: { type: 'string', description: 'URL of a picture.' } }))).toBeUndefined()
    expect(sampleInput(schema({ points: { type: 'array' } }))).toBeUndefined()
    expect(sampleInput(schema({}, ['prompt']))).toBeUndefined()
  })
})
