import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { InputValidationError } from '../errors/local-errors.ts'
import { caught } from '../testing/caught.ts'
import { createTestClient } from '../testing/test-client.ts'
import { checkSendable } from './check-run.ts'

/** What is found wrong with an input. */
function issuesOf(input: unknown): readonly { pointer: string; message: string }[] {
  try {
    checkSendable(input)
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
    ['a DataView', new DataView(new ArrayBuffer(1)), 'is a file (DataView).'],
    ['an ArrayBuffer', new ArrayBuffer(3), 'is a file (ArrayBuffer).'],
    ['a Blob', new Blob(['x']), 'is a file (Blob).'],
    ['a File', new File(['x'], 'x.png'), 'is a file (File).'],
    ['a promise', Promise.resolve('x'), 'is a Promise: await it.'],
    ['a Response', new Response('x'), 'is a stream: read it, and pass `await toDataUri(blob)`.'],
    ['a stream', new Blob(['x']).stream(), 'is a stream: read it'],
    ['a stream of Node', Readable.from(['x']), 'is a stream: read it'],
    ['a function', () => 'x', 'is a function, which JSON leaves out.'],
    ['a symbol', Symbol('x'), 'is a symbol, which JSON leaves out.'],
    ['a Map', new Map([['a', 1]]), 'is a Map, which JSON empties.'],
    ['a form', new FormData(), 'is a FormData, which JSON empties.'],
  ])('%s', (_, value, message) => {
    expect(issuesOf({ prompt: 'x', image_url: value })).toMatchObject([
      { pointer: '/image_url', message: expect.stringContaining(message) },
    ])
  })

  test('wherever it is in the input', () => {
    const file = new Blob(['x'])
    expect(issuesOf({ 'a/b': { list: ['x', { image: file }] } })).toMatchObject([{ pointer: '/a~1b/list/1/image' }])
    expect(issuesOf({ a: file, b: [file], c: 1 })).toMatchObject([{ pointer: '/a' }, { pointer: '/b/0' }])
    expect(issuesOf(file)).toMatchObject([{ pointer: '' }])
    expect(issuesOf(Promise.resolve({ prompt: 'x' }))).toMatchObject([
      { pointer: '', message: 'is a Promise: await it.' },
    ])
  })

  test('and a long list of files makes no long message', () => {
    expect(
      issuesOf({
        images: Array(1_000)
          .fill(0)
          .map(() => new Blob(['x'])),
      }),
    ).toHaveLength(5)
  })
})

describe('an input that JSON holds passes', () => {
  class Size {
    width = 1
  }
  test.each<[string, unknown]>([
    [
      'plain values',
      { text: 'x', number: 1, flag: true, nothing: null, left_out: undefined, list: [1, [2]], object: {} },
    ],
    ['an object without a prototype', Object.assign(Object.create(null), { prompt: 'x' })],
    ['an object of a class', { size: new Size() }],
    ['what becomes text by itself', { when: new Date(0), image_url: new URL('https://example.com/a.png') }],
    ['boxed values', { text: Object('x'), empty: Object(''), number: Object(1), flag: Object(true) }],
    ['empty lists and objects', { list: [], object: {} }],
    ['what decides itself how it becomes JSON', { image: { toJSON: () => 'x', file: new Blob(['x']) } }],
    ['a Map that does so', { map: Object.assign(new Map(), { toJSON: () => [] }) }],
    ['the same object twice', ((size: Size) => ({ a: size, b: [size, size] }))(new Size())],
  ])('%s', (_, input) => {
    expect(issuesOf(input)).toEqual([])
  })

  test('as quickly as one visit of each value, however deep or tangled it is', () => {
    const cyclic: Record<string, unknown> = { prompt: 'x' }
    cyclic.self = [cyclic, { cyclic }]
    let deep: unknown = new Blob(['x'])
    for (let level = 0; level < 50_000; level++) deep = { in: deep }
    let doubling: unknown = {}
    for (let level = 0; level < 60; level++) doubling = [doubling, doubling]
    // Not the time of day: other processes take some of that.
    const before = process.threadCpuUsage()
    expect(issuesOf(cyclic)).toEqual([])
    expect(issuesOf(doubling)).toEqual([])
    expect(issuesOf({ numbers: Array(100_000).fill(1) })).toEqual([])
    expect(issuesOf(deep)).toHaveLength(1)
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000)
  })
})

describe('every way to run a model', () => {
  const input = { image_url: Buffer.from('x') }
  const message =
    'The input cannot be sent as JSON. /image_url is a file (Buffer). Files go as text: pass `await toDataUri(image)` ' +
    "(from 'modelrun'), or the file's URL. Nothing was sent."

  test.each(['run', 'submit'] as const)('checks the input before anything is sent: %s', async (method) => {
    const { client, service } = createTestClient([])
    const options = { validateInput: true, maxCredits: 1 }
    const error = await caught(client[method]('northlight/retouch', input, options), InputValidationError)
    expect(error).toMatchObject({ message, submission: 'not_sent', issues: [{ pointer: '/image_url' }] })
    expect(service.received).toEqual([])
  })

  test('checks the input before anything is sent: models.run', async () => {
    const { client, service } = createTestClient([])
    const work = client.models.run('northlight/retouch', { input })
    expect(await caught(work, InputValidationError)).toMatchObject({ message })
    expect(await caught(work.withResponse(), InputValidationError)).toMatchObject({ message })
    expect(service.received).toEqual([])
  })

  test('checks the input before anything is sent: runMany', async () => {
    const { client, service } = createTestClient([])
    const { value: run } = await client.runMany('northlight/retouch', [input]).next()
    expect(run).toMatchObject({ status: 'rejected', reason: { message } })
    expect(service.received).toEqual([])
  })

  test('names a promise that was not awaited', async () => {
    const { client } = createTestClient([])
    const work = client.run('northlight/retouch', { image_url: Promise.resolve('data:image/png;base64,AA==') })
    expect((await caught(work, InputValidationError)).message).toContain('/image_url is a Promise: await it.')
  })
})
