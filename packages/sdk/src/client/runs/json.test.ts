import { Readable } from 'node:stream'
import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError } from '@modelrun/kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'
import { InputValidationError } from '../errors/local-errors.ts'
import { checkInput } from './run-operation.ts'

const completed = json(200, fixtures.runs.completed.body)

/** Without a member that JSON sees. */
class Hidden {
  readonly #prompt: string
  constructor(prompt: string) {
    this.#prompt = prompt
  }
  get prompt() {
    return this.#prompt
  }
}

/** As the documents of some databases are. */
class Document extends Hidden {
  readonly internals = { isNew: true }
  toJSON() {
    return { prompt: this.prompt, when: new Date(0), toJSON: undefined }
  }
}

function endless(): object {
  return { toJSON: () => ({ in: endless() }) }
}

/** What is found wrong with an input. */
function issuesOf(input: unknown): readonly { pointer: string; message: string }[] {
  try {
    checkInput(input)
  } catch (error) {
    if (error instanceof InputValidationError) return error.issues
    throw error
  }
  return []
}

describe('an input that JSON cannot hold is not sent', () => {
  test.each<[string, unknown, string]>([
    [
      'a Buffer',
      Buffer.from('x'),
      "is a file (Buffer). Files go as text: pass `await toDataUri(image)` (from 'modelrun'), or the file's URL.",
    ],
    ['a Uint8Array', new Uint8Array(3), 'is a file (Uint8Array).'],
    ['a Blob', new Blob(['x']), 'is a file (Blob).'],
    ['a promise', Promise.resolve('x'), 'is a Promise: await it.'],
    ['a Response', new Response('x'), 'is a stream: read it, and pass `await toDataUri(blob)`.'],
    ['a stream', new Blob(['x']).stream(), 'is a stream: read it'],
    ['a stream of Node', Readable.from(['x']), 'is a stream: read it'],
    ['a function', () => 'x', 'is a function, which JSON leaves out.'],
    ['a symbol', Symbol('x'), 'is a symbol, which JSON leaves out.'],
    ['a Map', new Map([['a', 1]]), 'is a Map, which JSON empties.'],
    ['an event of jsdom', Object.assign(new Event('click'), { detail: 1 }), 'is an Event, which JSON empties.'],
    ['a form', new FormData(), 'is a FormData, which JSON empties.'],
    ['a Map with a member', Object.assign(new Map([['a', 1]]), { a: 1 }), 'is a Map, which JSON empties.'],
    ['an error', Object.assign(new Error('x'), { code: 1 }), 'is an Error, which JSON empties.'],
    ['an object of a class with getters only', new Hidden('x'), 'is a Hidden, which JSON empties.'],
    ['NaN', Number.NaN, 'is NaN, which JSON turns into null.'],
    ['a number that is not finite', -1 / 0, 'is -Infinity, which JSON turns into null.'],
    ['NaN in a box', Object(Number.NaN), 'is NaN, which JSON turns into null.'],
    ['an invalid Date', new Date('x'), 'is an invalid Date, which JSON turns into null.'],
    ['a bigint', 1n, 'is a bigint, which JSON cannot hold: pass a number or a string.'],
    ['a bigint in a box', Object(1n), 'is a bigint, which JSON cannot hold'],
    ['what `toJSON` makes', { toJSON: () => Number.NaN }, 'is NaN, which JSON turns into null.'],
    ['a `toJSON` that is asynchronous', { toJSON: async () => 'x' }, 'is a Promise: await it.'],
    ['a member without a name', { [Symbol('mine')]: 1 }, 'has a member named by a symbol (Symbol(mine))'],
    ['a `toJSON` without end', endless(), 'is nested deeper than 1000 levels.'],
  ])('%s', (_, value, message) => {
    const issues = [{ pointer: expect.stringMatching(/^\/image_url/), message: expect.stringContaining(message) }]
    expect(issuesOf({ prompt: 'x', image_url: value })).toMatchObject(issues)
    expect(issuesOf({ prompt: ['x', { deep: value }] })).toMatchObject([{ message: issues[0]?.message }])
  })

  const gap = [1]
  gap[2] = 3
  const cyclic: Record<string, unknown> = { prompt: 'x' }
  cyclic.self = [{ cyclic }]
  const file = new Blob(['x'])
  test.each<[string, unknown, string[], string]>([
    ['`undefined` or a gap in a list', { list: [undefined], gap }, ['/list/0', '/gap/1'], 'is undefined, which JSON'],
    ['itself', cyclic, ['/self/0/cyclic'], 'contains itself, which JSON cannot hold.'],
    [
      'such a value deep in it',
      { 'a/b': { list: ['x', { image: file }] } },
      ['/a~1b/list/1/image'],
      'is a file (Blob)',
    ],
    ['several of them', { a: file, b: [file], c: 1 }, ['/a', '/b/0'], 'is a file (Blob)'],
    ['nothing else: it is one', new Hidden('x'), [''], 'is a Hidden, which JSON empties.'],
    ['nothing else: it is a file', file, [''], 'is a file (Blob)'],
    ['nothing else: it is a promise', Promise.resolve({ prompt: 'x' }), [''], 'is a Promise: await it.'],
  ])('because it has %s', (...row) => {
    const [, input, pointers, message] = row
    const issue = { message: expect.stringContaining(message) }
    expect(issuesOf(input)).toEqual(pointers.map((pointer) => ({ pointer, ...issue })))
  })

  test.each([{ toJSON: () => ['x'] }, new Date(0)])('because it is not an object in JSON: %j', (input) => {
    expect(() => checkInput(input)).toThrow(ConfigurationError)
  })

  test('and a long list of files makes no long message', () => {
    expect(issuesOf({ images: Array.from({ length: 1_000 }, () => new Blob(['x'])) })).toHaveLength(5)
  })
})

describe('an input that JSON holds passes', () => {
  class Size {
    width = 1
  }
  test.each<[string, unknown]>([
    ['an object without a prototype', Object.assign(Object.create(null), { prompt: 'x' })],
    ['an object of a class', { size: new Size() }],
    ['what becomes text by itself', { when: new Date(0), image_url: new URL('https://example.com/a.png') }],
    ['what decides itself how it becomes JSON', { image: { toJSON: () => 'x', file: new Blob(['x']) } }],
    ['a Map that does so', { map: Object.assign(new Map(), { toJSON: () => [] }) }],
    ['the same object twice', ((size: Size) => ({ a: size, b: [size, size] }))(new Size())],
  ])('%s', (_, input) => {
    expect(issuesOf(input)).toEqual([])
    expect(JSON.stringify(checkInput(input))).toBe(JSON.stringify(input))
  })

  test('as JSON.stringify would write it, whatever it is', () => {
    const boxes = fc.anything({ withBoxedValues: true, withNullPrototype: true, withObjectString: true })
    const others = fc.anything({ withDate: true, withMap: true, withTypedArray: true, withSparseArray: true })
    const any = fc.oneof(boxes, others, fc.jsonValue())
    fc.assert(
      fc.property(fc.dictionary(fc.string(), any), (input) => {
        if (issuesOf(input).length === 0) expect(JSON.stringify(checkInput(input))).toBe(JSON.stringify(input))
      }),
      { numRuns: 2_000 },
    )
  })

  test('read once, members and `toJSON` alike, and before anything else happens', () => {
    let reads = 0
    const input = {
      get seed() {
        return reads++
      },
      size: { toJSON: () => reads++ },
    }
    expect(checkInput(input)).toEqual({ seed: 0, size: 1 })
    expect(reads).toBe(2)
  })

  test('with `toJSON` of the whole, as of a part', () => {
    const document = { prompt: 'x', when: '1970-01-01T00:00:00.000Z' }
    expect(checkInput(new Document('x'))).toEqual(document)
    expect(checkInput({ document: new Document('x') })).toEqual({ document })
  })

  test('with a member that is named like the prototype', () => {
    const input = JSON.parse('{"prompt":"x","__proto__":{"seed":1}}')
    expect(JSON.stringify(checkInput(input))).toBe('{"prompt":"x","__proto__":{"seed":1}}')
  })

  test('as quickly as one visit of each value, however deep or tangled it is', () => {
    let deep: unknown = new Blob(['x'])
    for (let level = 0; level < 50_000; level++) deep = { in: deep }
    let doubling: unknown = {}
    for (let level = 0; level < 60; level++) doubling = [doubling, doubling]
    // A second visit of each value would not end before the time limit of the test runner.
    expect(issuesOf({ doubling })).toMatchObject([{ message: expect.stringContaining('longer than 100 million') }])
    const listOf = (count: number) => ({ list: Array(count).fill({ text: 'x'.repeat(1_000_000) }) })
    expect([issuesOf(listOf(1_000)).length, issuesOf(listOf(50)).length]).toEqual([1, 0])
    expect(issuesOf({ numbers: Array(100_000).fill(1) })).toEqual([])
    expect(issuesOf(deep)).toHaveLength(1)
  })
})

describe('every way to run a model', () => {
  test('sends the JSON of an object that makes its own', async () => {
    const { client, service } = createTestClient([completed])
    const document: object = new Document('x')
    await client.run('aurora-image', document)
    await client.submit('aurora-image', document)
    await client.models.run('aurora-image', { input: document })
    void client.runMany('aurora-image', [document]).next()
    await settle()
    const input = { prompt: 'x', when: '1970-01-01T00:00:00.000Z' }
    expect(service.received.map(({ body }) => body)).toEqual(Array(4).fill(expect.objectContaining({ input })))
  })

  const input = { image_url: Buffer.from('x') }
  const message =
    'The input cannot be sent as JSON. /image_url is a file (Buffer). Files go as text: pass `await toDataUri(image)` ' +
    "(from 'modelrun'), or the file's URL. Nothing was sent."

  const options = { validateInput: true, maxCredits: 1 }
  test.each<[string, (client: ModelRun) => PromiseLike<unknown>]>([
    ['run', (client) => client.run('northlight/retouch', input, options)],
    ['submit', (client) => client.submit('northlight/retouch', input, options)],
    ['models.run', (client) => client.models.run('northlight/retouch', { input })],
    ['models.run with its response', (client) => client.models.run('northlight/retouch', { input }).withResponse()],
    [
      'runMany',
      async (client) => {
        const { value: run } = await client.runMany('northlight/retouch', [input]).next()
        throw run?.status === 'rejected' ? run.reason : new Error('It was run.')
      },
    ],
  ])('checks the input before anything is sent: %s', async (_, call) => {
    const { client, service } = createTestClient([])
    const error = await caught(call(client), InputValidationError)
    expect(error).toMatchObject({ message, submission: 'not_sent', issues: [{ pointer: '/image_url' }] })
    expect(service.received).toEqual([])
  })
})
