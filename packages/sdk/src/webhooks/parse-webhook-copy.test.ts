import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPlainJson } from './parse-webhook.ts'

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)

describe('the copy of a value', () => {
  test('is equal to any JSON without the names of prototypes', () => {
    const json = fc.jsonValue({ maxDepth: 8 })
    fc.assert(
      fc.property(json, (value) => {
        fc.pre(!/__proto__|constructor/.test(JSON.stringify(value)))
        expect(toPlainJson(value)).toEqual({ kind: 'plain', value })
      }),
    )
  })

  test('has 32 levels at most; of one that is deeper there is the top', () => {
    expect(toPlainJson(nested(32)).kind).toBe('plain')
    expect(toPlainJson({ a: 1, b: nested(32), c: 'x', d: {} })).toEqual({ kind: 'too_deep', value: { a: 1, c: 'x' } })
  })

  test('of a value that holds itself is one that is too deep', () => {
    const value: Record<string, unknown> = { a: 1 }
    value.self = [value]
    expect(toPlainJson(value)).toEqual({ kind: 'too_deep', value: { a: 1 } })
  })

  test('of a value that doubles at each level ends', () => {
    let value: unknown = 1
    for (let level = 0; level < 30; level++) value = { a: value, b: value }
    expect(toPlainJson(value)).toEqual({ kind: 'too_large' })
  })

  test('of a list that says it is endless ends', () => {
    expect(toPlainJson(new Array(2 ** 32 - 1))).toEqual({ kind: 'too_large' })
  })

  test('holds every value of the largest body', () => {
    expect(toPlainJson(JSON.parse(`[${'1,'.repeat(128 * 1024 - 2)}1]`)).kind).toBe('plain')
  })

  test('is too large where no text of 256 KiB could hold its texts and names', () => {
    const limit = 256 * 1024
    const largest = { a: 'é'.repeat((limit - '{"a":""}'.length) / 2) }
    expect(Buffer.byteLength(JSON.stringify(largest))).toBe(limit)
    expect(toPlainJson(largest).kind).toBe('plain')
    for (const value of [{ a: `${largest.a}x` }, { ab: largest.a }, [largest], { [largest.a]: '123' }]) {
      expect(toPlainJson(value)).toEqual({ kind: 'too_large' })
    }
    expect(toPlainJson({ a: 'x'.repeat(5_000_000) })).toEqual({ kind: 'too_large' })
  })

  test('is never too large for a value that a text of 256 KiB held', () => {
    const limit = 256 * 1024
    const json = fc.jsonValue({ maxDepth: 4 })
    const text = fc.constantFrom('x', 'é', '€', '😀', '\ud800', '"', '\\', '\n')
    fc.assert(
      fc.property(json, text, (value, character) => {
        // The value once more, as often as there is room.
        const list: unknown[] = []
        let byteCount = 2
        for (const member of [value, character.repeat(40_000), ...Array(200).fill(value)]) {
          byteCount += Buffer.byteLength(JSON.stringify(member)) + 1
          if (byteCount - 1 <= limit) list.push(member)
        }
        expect(toPlainJson(list).kind).not.toBe('too_large')
      }),
    )
  })

  test('has no functions, symbols, or what JSON has no word for', () => {
    const value = { a: () => 1, b: Symbol('x'), c: undefined, d: 1n, toJSON: () => 'x', e: [() => 1] }
    expect(toPlainJson(value)).toStrictEqual({ kind: 'plain', value: { e: [null] } })
  })

  test('names no prototype, at any depth', () => {
    const value = JSON.parse('{"a":[{"__proto__":{"x":1},"constructor":{"prototype":{}}}],"constructor":"text"}')
    expect(toPlainJson(value)).toStrictEqual({ kind: 'plain', value: { a: [{}], constructor: 'text' } })
  })
})
