import { describe, expect, test } from 'vitest'
import { type Checks, count, isText, needs, oneOf, positive, readOptions, signal, text } from './checks.ts'
import { json } from './json.ts'

interface Options {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  mode?: 'sync' | 'async' | undefined
  baseUrl?: string | undefined
}

const CHECKS: Checks<Options> = {
  signal,
  timeoutMs: positive,
  maxRetries: count,
  mode: oneOf('sync', 'async'),
  baseUrl: text,
}

/** What a program without types may pass. */
const read = (options: unknown, place = 'doSomething') => readOptions(place, options as Options, CHECKS)

describe('the members of options', () => {
  test('are copied, without those that are undefined', () => {
    const given = { timeoutMs: 5, mode: undefined, other: undefined }
    const options = read(given)
    given.timeoutMs = 6
    expect(options).toStrictEqual({ timeoutMs: 5 })
  })

  test('that are JSON are copied whole', () => {
    const given = { context: { order: 7 } }
    const options = readOptions('doSomething', given, { context: json })
    given.context.order = 8
    expect(options).toEqual({ context: { order: 7 } })
  })

  test('may be those of a class, on its prototype too, or of an object without one', () => {
    class Defaults {
      timeoutMs = 5
      get maxRetries() {
        return 1
      }
    }
    expect(read(new Defaults())).toStrictEqual({ timeoutMs: 5, maxRetries: 1 })
    expect(read(Object.assign(Object.create(null), { timeoutMs: 5 }))).toStrictEqual({ timeoutMs: 5 })
  })

  test.each([
    ['timeoutMS', 'timeoutMs'],
    ['timeout', 'timeoutMs'],
    ['maxRetry', 'maxRetries'],
    ['retries', 'maxRetries'],
    ['baseURL', 'baseUrl'],
    ['abortSignal', 'signal'],
    ['sync', "mode: 'async'"],
  ])('that are unknown are rejected: %s was meant to be %s', (name, meant) => {
    expect(() => read({ [name]: false })).toThrow(
      `\`${name}\` of \`doSomething\` is unknown (did you mean \`${meant}\`?).`,
    )
  })

  test.each(['prompt', 'constructor', 'toString', 'hasOwnProperty'])(
    'that are unknown and like none are rejected with those that there are: %s',
    (name) => {
      expect(() => read({ [name]: 'a red fox' })).toThrow(
        `\`${name}\` of \`doSomething\` is unknown (it takes signal, timeoutMs, maxRetries, mode, baseUrl).`,
      )
    },
  )

  test('named by a symbol are ignored', () => {
    expect(read({ [Symbol('mine')]: 1 })).toStrictEqual({})
  })

  test('that are required are reported when they are missing', () => {
    expect(() => readOptions('open', {}, { path: needs('a path', isText) })).toThrow(
      '`path` of `open` must be a path, not undefined.',
    )
  })

  test.each([
    [{ timeoutMs: '5' }, '`timeoutMs` of `doSomething` must be a number above 0, not "5".'],
    [{ maxRetries: 1.5 }, 'must be a whole number of at least 0, not 1.5.'],
    [{ mode: 'background' }, `must be 'sync' or 'async', not "background".`],
    [{ mode: ['sync'] }, 'not an array.'],
    [{ signal: new AbortController() }, 'must be an AbortSignal, like `controller.signal`, not an AbortController.'],
  ])('are rejected with the type that they have: %o', (options, message) => {
    expect(() => read(options)).toThrow(message)
  })
})
