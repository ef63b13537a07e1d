import type { InputProperty } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { schemaHash } from './schema-hash.ts'

describe('schemaHash', () => {
  const hashOf = (properties: Record<string, InputProperty>, required: string[] = []) =>
    schemaHash({ type: 'object', properties, required })

  const size: InputProperty = { type: 'string', enum: ['small', 'large'], default: 'small' }
  const count: InputProperty = { type: 'integer', minimum: 1, maximum: 4, default: 1 }

  it('is 16 hexadecimal digits', async () => {
    expect(await hashOf({ size, count })).toMatch(/^[0-9a-f]{16}$/)
  })

  it.each([
    ['the order of parameters', hashOf({ count, size }, ['size', 'count'])],
    ['the order of allowed values', hashOf({ size: { ...size, enum: ['large', 'small'] }, count }, ['count', 'size'])],
    ['a description', hashOf({ size: { ...size, description: 'new' }, count }, ['count', 'size'])],
    [
      'a name that the parser leaves out',
      hashOf({ ...JSON.parse('{"__proto__":{}}'), size, count }, ['count', 'size']),
    ],
  ])('stays the same after a change of %s', async (_, other) => {
    expect(await other).toBe(await hashOf({ size, count }, ['size', 'count']))
  })

  it('changes with a name, a type, a value, a default, a bound, and with what is required', async () => {
    const hashes = await Promise.all([
      hashOf({ size, count }),
      hashOf({ size, count }, ['size']),
      hashOf({ size }),
      hashOf({ sizes: size, count }),
      hashOf({ size: { ...size, enum: ['small'] }, count }),
      hashOf({ size: { ...size, enum: ['small', 'large', 1] }, count }),
      hashOf({ size: { ...size, enum: ['small', 'large', '1'] }, count }),
      hashOf({ size: { ...size, default: 'large' }, count }),
      hashOf({ size: { ...size, default: null }, count }),
      hashOf({ size: { type: 'string', enum: ['small', 'large'] }, count }),
      hashOf({ size, count: { ...count, type: 'number' } }),
      hashOf({ size, count: { ...count, type: ['integer', 'null'] } }),
      hashOf({ size, count: { ...count, minimum: 0 } }),
      hashOf({ size, count: { ...count, maximum: 8 } }),
    ])
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})
