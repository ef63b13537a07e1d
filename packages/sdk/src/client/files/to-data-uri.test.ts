import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '@modelrun/kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import type { ToDataUriOptions } from './file-options.ts'
import type { FileSource } from './open-source.ts'
import { toDataUri } from './to-data-uri.ts'

/** A whole PNG of one pixel. */
const PNG_BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
const PNG_URI = `data:image/png;base64,${PNG_BASE64}`
const png = Buffer.from(PNG_BASE64, 'base64')
const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1')
const webm = Buffer.from('\x1a\x45\xdf\xa3\x8b\x42\x82\x84webm\0\0\0\0', 'latin1')
const page = Buffer.from('<!DOCTYPE html><title>502 Bad Gateway</title>')
const xml = Buffer.from('<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg/>')
const document = Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- a\n<b> -->\n<!DOCTYPE svg PUBLIC "x">\n<svg></svg>')
const pdf = Buffer.from('%PDF-1.7\n')
const poem = Buffer.from('a poem')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')

const uri = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`
const file = (bytes: Buffer, name: string, type = '') => new File([new Uint8Array(bytes)], name, { type })

/** The message of the error, for any value: JavaScript knows no types. */
async function messageFor(source: unknown, options?: ToDataUriOptions): Promise<string> {
  return (await caught(toDataUri(source as FileSource, options), ConfigurationError)).message
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelrun-pictures-'))
  await writeFile(join(folder, 'photo.png'), png)
  await writeFile(join(folder, 'page.png'), page)
  await writeFile(join(folder, 'empty.png'), '')
})
afterAll(() => rm(folder, { recursive: true }))
describe('toDataUri takes', () => {
  const inTheMiddle = new Uint8Array([1, 2, ...png, 3]).subarray(2, 2 + png.length)
  test.each<[string, () => FileSource]>([
    ['a Buffer', () => png],
    ['a Uint8Array', () => new Uint8Array(png)],
    ['a part of a larger buffer', () => inTheMiddle],
    ['a DataView', () => new DataView(new Uint8Array(png).buffer)],
    ['an ArrayBuffer', () => new Uint8Array(png).buffer],
    ['a Blob', () => new Blob([new Uint8Array(png)])],
    ['a File', () => file(png, 'photo.png', 'image/png')],
    ['a path', () => join(folder, 'photo.png')],
    ['a file: URL', () => pathToFileURL(join(folder, 'photo.png'))],
    ['a file: URL as text', () => pathToFileURL(join(folder, 'photo.png')).href],
  ])('%s', async (_, source) => {
    expect(await toDataUri(source())).toBe(PNG_URI)
  })

  test('a data URI, which stays as it is', async () => {
    expect(await toDataUri('data:image/svg+xml,%3Csvg/%3E')).toBe('data:image/svg+xml,%3Csvg/%3E')
  })

  test.each([24_575, 24_576, 24_577, 100_000])('%i bytes of any value', async (length) => {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 7) % 256))
    expect(await toDataUri(bytes, { type: 'application/x-data' })).toBe(uri('application/x-data', bytes))
  })
})

describe('the media type', () => {
  test.each<{ is: string; bytes: Buffer; type?: string; expected: string }>([
    { is: 'what the bytes say', bytes: jpeg, expected: 'image/jpeg' },
    { is: 'what the bytes say, for an image of another name', bytes: jpeg, type: 'image/png', expected: 'image/jpeg' },
    { is: 'what the bytes say, for an unnamed one', bytes: png, type: 'binary/octet-stream', expected: 'image/png' },
    { is: 'what the Blob says, for sound', bytes: webm, type: 'audio/webm;codecs=opus', expected: 'audio/webm' },
    { is: 'SVG, for an svg element', bytes: svg, expected: 'image/svg+xml' },
    { is: 'SVG, for an svg element in a document', bytes: document, expected: 'image/svg+xml' },
    { is: 'what the Blob says, for other XML', bytes: xml, type: 'image/svg+xml', expected: 'image/svg+xml' },
    { is: 'what the Blob says, for text', bytes: poem, type: 'text/plain;x=y', expected: 'text/plain' },
  ])('is $is', async ({ bytes, type, expected }) => {
    expect(await toDataUri(file(bytes, 'name', type))).toBe(uri(expected, bytes))
  })

  test('is the option, for bytes that say nothing themselves', async () => {
    expect(await toDataUri(poem, { type: 'text/plain' })).toBe(uri('text/plain', poem))
    expect(await messageFor(poem)).toContain('The file is of no known type; it starts with "a poem".')
    expect(await messageFor(Buffer.from([0, 1, 2, 3]))).toContain('The file is of no known type. Was an error page')
  })

  test.each(['png', 'image', 'image/', 'image/png,x', ''])('is not %j', async (type) => {
    expect(await messageFor(poem, { type })).toBe(
      `The option \`type\` must be a media type such as 'image/png', not ${JSON.stringify(type)}.`,
    )
  })
})

describe('a file that is not what its type says', () => {
  const photo = (bytes: Buffer) => file(bytes, 'photo.png', 'image/png')
  const served = (type: string) => new Response(page, { headers: { 'content-type': type } }).blob()

  const as = (type: string, bytes: Buffer) => () => messageFor(bytes, { type })
  test.each<[string, () => Promise<string>, string]>([
    ['an error page as the option', as('image/png', page), 'The file is said to be image/png, but is not; it'],
    ['JSON as the option', as('audio/mpeg', Buffer.from('{"error":{}}')), 'said to be audio/mpeg, but is not; it'],
    ['raw pixels as the option', as('image/png', Buffer.alloc(400)), 'said to be image/png, but is not. Was'],
    ['a poem as the option', as('image/jpeg', poem), 'to be image/jpeg, but is not; it starts with "a poem".'],
    ['an error page', () => messageFor(photo(page)), 'The file "photo.png" is said to be image/png, but is not; it'],
    ['a path', () => messageFor(join(folder, 'page.png')), 'is of no known type; it starts with "<!DOCTYPE'],
    ['a document', () => messageFor(photo(pdf)), 'to be image/png, but its content is application/pdf;'],
    ['a response', async () => messageFor(await served('text/html;x=y')), 'The Blob is text/html; it starts with'],
    ['JSON', async () => messageFor(await served('application/json')), 'is application/json; it starts with'],
  ])('is not taken: %s', async (_, message, expected) => {
    expect(await message()).toContain(expected)
  })

  test('is taken when the caller says so', async () => {
    expect(await toDataUri(await served('text/html'), { type: 'text/html' })).toBe(uri('text/html', page))
  })
})

describe('the size limit', () => {
  test('fits a request of 1 MiB, and its error says the sizes and what to do (section 8)', async () => {
    const largest = Buffer.concat([png, Buffer.alloc(768_000 - png.length)])
    expect((await toDataUri(largest)).length).toBe(1_024_000 + 'data:image/png;base64,'.length)
    expect(await messageFor(Buffer.concat([largest, Buffer.alloc(1)]))).toContain(
      'The file has 768001 bytes, more than maxBytes (768000); it would take 1024004 characters of the request.',
    )
  })

  test('can be another', async () => {
    expect(await toDataUri(png, { maxBytes: png.length })).toBe(PNG_URI)
    expect(await messageFor(png, { maxBytes: png.length - 1 })).toContain(`has ${png.length} bytes, more than`)
    expect(await messageFor(png, { maxBytes: 0 })).toContain('`maxBytes` of `toDataUri` must be a number above 0')
  })

  test('is checked before a Blob or a file is read', async () => {
    const blob = new Blob([new Uint8Array(png)])
    const reading = vi.spyOn(blob, 'arrayBuffer')
    expect(await messageFor(blob, { maxBytes: 8 })).toContain(`The Blob has ${png.length} bytes`)
    expect(reading).not.toHaveBeenCalled()
    expect(await messageFor(join(folder, 'photo.png'), { maxBytes: 8 })).toContain(`photo.png" has ${png.length} bytes`)
  })
})

describe('what is not a file', () => {
  test.each<[string, unknown, string]>([
    ['a web URL', 'https://example.com/a.png', 'reads files, not "https://example.com/a.png". A model takes an http'],
    ['a web URL as an object', new URL('http://example.com/a.png'), 'A model takes an http or https URL as it is'],
    ['a blob: URL', 'blob:https://example.com/1', 'pass `await (await fetch(url)).blob()`.'],
    ['a wrong file: URL', 'file://%', 'reads files, not "file://%"'],
    ['a Response', new Response('x'), 'not Response. Of a response or a stream, pass'],
    ['a stream', new Blob(['x']).stream(), 'not ReadableStream.'],
    ['a promise', Promise.resolve(png), 'not Promise.'],
    ['a number', 7, 'not number.'],
    ['nothing', undefined, 'not undefined.'],
    ['null', null, 'not null.'],
    ['a list of bytes', [137, 80], 'not Array.'],
    ['empty bytes', new Uint8Array(), 'The file is empty.'],
    ['an empty Blob', new Blob(), 'The Blob is empty.'],
    ['base64 text', PNG_BASE64.repeat(100), 'cannot be read: ENAMETOOLONG'],
  ])('says what is wrong with %s', async (_, source, expected) => {
    const message = await messageFor(source)
    expect(message).toContain(expected)
    expect(message.length).toBeLessThan(400)
  })

  test.each([
    ['missing.png', 'missing.png" cannot be read: ENOENT'],
    ['photo.png/x', 'cannot be read: ENOTDIR'],
    ['', '" cannot be read: EISDIR'],
    ['empty.png', 'empty.png" is empty.'],
    ['a\0b', 'cannot be read: '],
  ])('says what is wrong with the path %j', async (path, expected) => {
    expect(await messageFor(`${folder}/${path}`)).toContain(expected)
  })

  test('says so when it cannot be read', async () => {
    const blob = new Blob(['x'])
    vi.spyOn(blob, 'arrayBuffer').mockRejectedValue(new Error('The file has changed.'))
    expect(await messageFor(blob)).toContain('The Blob cannot be read: The file has changed')
  })

  test('shows the line that awaits', async () => {
    const error = await caught(toDataUri(join(folder, 'missing.png')), ConfigurationError)
    expect(error.stack).toContain('to-data-uri.test.ts')
  })

  test('says so where there is no file system', async () => {
    vi.stubGlobal('process', undefined)
    expect(await messageFor('photo.png')).toContain('This runtime has no file system to read "photo.png" from.')
  })
})
