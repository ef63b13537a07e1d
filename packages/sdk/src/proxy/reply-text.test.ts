import { describe, expect, test } from 'vitest'
import { API_KEY } from '../../test/test-client.ts'
import { shownCode, shownText } from './reply.ts'

describe('a text of the service', () => {
  test('is shown when it is a sentence for people', () => {
    expect(shownText('/input/num_images: must be < 5, not 7.')).toBe('/input/num_images: must be < 5, not 7.')
  })

  test('is shown without keys and without urls', () => {
    expect(shownText(`The key ${API_KEY} is over its limit.`)).toBe('The key [redacted] is over its limit.')
    expect(shownText('See https://api.internal:8080/v1/x?y=1 there.')).toBe('See [url] there.')
    expect(shownText('ws://a and postgres://user:pass@db/x')).toBe('[url] and [url]')
  })

  test.each([
    ['a web page', '<!doctype html><html>Bad gateway</html>'],
    ['a part of one', 'nginx: <h1>502</h1>'],
    ['a stack trace', 'TypeError: x is undefined\n    at handler (/srv/app.js:1:2)'],
    ['empty', ''],
    ['too long', 'x'.repeat(501)],
    ['not a text', ['x']],
    ['missing', undefined],
  ])('is not shown when it is %s', (_, text) => {
    expect(shownText(text)).toBeUndefined()
  })
})

test('a code is shown when it is one', () => {
  expect(['VALIDATION_ERROR', 'req_01-a.b', 'a b', '', '<b>', 'x'.repeat(129), undefined].map(shownCode)).toEqual([
    'VALIDATION_ERROR',
    'req_01-a.b',
    ...Array(5).fill(undefined),
  ])
})
