import { expect, test } from 'vitest'
import { jsonPointer, messageWithCause, tryParseJson } from './values.ts'

test('a JSON pointer escapes `~` and `/`', () => {
  expect([jsonPointer([]), jsonPointer(['a/b', 0, '~'])]).toEqual(['', '/a~1b/0/~0'])
})

test('a text that is not JSON has no value', () => {
  expect(['{"a":1}', 'null', '{', ''].map(tryParseJson)).toEqual([{ a: 1 }, null, undefined, undefined])
})

test('the message of an error has that of its cause, or its code', () => {
  const caused = (cause: unknown) => messageWithCause(new Error('fetch failed', { cause }))
  expect([
    caused(new Error('broken')),
    caused({ code: 'ECONNREFUSED', message: '' }),
    messageWithCause('text'),
  ]).toEqual(['fetch failed: broken', 'fetch failed: ECONNREFUSED', 'text'])
})
