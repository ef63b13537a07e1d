import { expect, test } from 'vitest'
import { effectsText } from './run-scenario.ts'

test('the order of members does not count, that of lists does', () => {
  expect(
    effectsText({
      b: 1,
      a: new Map([
        ['y', 1],
        ['x', 2],
      ]),
    }),
  ).toBe(
    effectsText({
      a: new Map([
        ['x', 2],
        ['y', 1],
      ]),
      b: 1,
    }),
  )
  expect(effectsText(new Set(['b', 'a']))).toBe('["a","b"]')
  expect(effectsText(['b', 'a'])).not.toBe(effectsText(['a', 'b']))
})

test('maps, sets, dates and big numbers are distinguished by their contents', () => {
  const effects = [new Map([[1, { rows: new Set([2n]) }]]), new Date(0), undefined]
  expect(effectsText(effects)).toBe('[[[1,{"rows":["2n"]}]],"1970-01-01T00:00:00.000Z",null]')
  expect(effectsText(undefined)).toBe('undefined')
})
