import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { parseShape } from './parse-shape.ts'

const schema = z.strictObject({
  name: z.string(),
  count: z.optional(z.int().check(z.minimum(1), z.maximum(4))),
  kind: z.optional(z.enum(['a', 'b'])),
  address: z.optional(z.url({ protocol: /^https?$/ })),
  list: z.optional(z.array(z.strictObject({ 'a/b': z.boolean() }))),
})

function message(value: unknown): string {
  const checked = parseShape(schema, value)
  return checked.ok ? 'fine' : checked.message
}

describe('parse shape', () => {
  it('gives the value when it fits', () => {
    expect(parseShape(schema, { name: 'x', count: 2 })).toEqual({ ok: true, value: { name: 'x', count: 2 } })
  })

  it.each([
    [{}, '/name is missing; it must be a string.'],
    [{ name: 1 }, '/name must be a string, not a number.'],
    [{ name: null }, '/name must be a string, not null.'],
    [{ name: ['x'] }, '/name must be a string, not an array.'],
    [{ name: 'x', count: 1.5 }, '/count must be an integer, not the number 1.5.'],
    [{ name: 'x', count: 5 }, '/count must be 4 or less.'],
    [{ name: 'x', count: 0 }, '/count must be 1 or more.'],
    [{ name: 'x', kind: 'c' }, '/kind must be "a" or "b".'],
    [{ name: 'x', address: 'ftp://a.test' }, '/address must be an http or https URL.'],
    [{ name: 'x', list: [{ 'a/b': 'yes' }] }, '/list/0/a~1b must be a boolean, not a string.'],
    [{ name: 'x', nmae: 1 }, 'It has members that do not exist: "nmae".'],
    [[], 'It must be an object, not an array.'],
    [undefined, 'It is missing; it must be an object.'],
  ])('says what is wrong with %j', (value, expected) => {
    expect(message(value)).toBe(expected)
  })

  it('says everything that is wrong, up to five things', () => {
    expect(message({ name: 1, count: 9 })).toBe('/name must be a string, not a number. /count must be 4 or less.')
    const many = parseShape(z.array(z.string()), [1, 2, 3, 4, 5, 6, 7])
    expect(many.ok ? '' : many.message.match(/must be/g)).toHaveLength(5)
  })

  it('keeps its sentence short, however many members do not exist', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]))
    expect(message({ name: 'x', ...many })).toBe(
      'It has members that do not exist: "k0", "k1", "k2", "k3", "k4", and others.',
    )
  })
})
