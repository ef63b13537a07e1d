import { ConfigurationError } from '@modelrun/kit'
import ky from 'ky'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { printedForms } from '../../../test/printed-forms.ts'
import { broken, type Step, silent, text, unconnected } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient } from '../../../test/test-client.ts'
import { ConnectionError, InvalidResponseError } from '../errors/transport-errors.ts'
import type { DownloadOptions } from './file-options.ts'

const FILE_URL = 'https://files.example.com/job_1/0.png?token=secret'

function start(steps: Step | readonly Step[], options: DownloadOptions = {}) {
  const harness = createTestClient([steps].flat())
  return { ...harness, download: harness.client.files.download({ type: 'file', url: FILE_URL }, options) }
}

describe('files.download (section 2.5)', () => {
  test('gives name, type, size and a typed Blob of a produced file', async () => {
    const { download } = start(createFileHost({ content: 'pixels', headers: { 'content-type': 'image/png' } }))
    const file = await download
    expect(file).toMatchObject({ name: '0.png', contentType: 'image/png', size: 6 })
    const blob = await file.blob()
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'pixels'])
  })

  test('gives a file without content, and one whose length is not known', async () => {
    const empty = await start(createFileHost({ content: '' })).download
    expect([empty.size, (await empty.bytes()).byteLength]).toEqual([0, 0])
    const none = await start(text(200, null)).download
    expect((await none.bytes()).byteLength).toBe(0)
    const unknown = await start(createFileHost({ content: 'pixels', hasLength: false })).download
    expect([unknown.size, (await unknown.bytes()).byteLength]).toEqual([undefined, 6])
  })

  test('does not say a size, or miss bytes, when the host compresses the file although it was asked not to', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '3' }
    const file = await start(createFileHost({ content: 'pixels', headers, hasLength: false })).download
    expect([file.size, (await file.bytes()).byteLength]).toEqual([undefined, 6])
  })

  test.each([
    ['stream', 'bytes'],
    ['bytes', 'stream'],
    ['blob', 'bytes'],
  ] as const)('gives the bytes once: after %s, %s says so', async (first, second) => {
    const { download } = start(createFileHost({ content: 'pixels' }))
    const file = await download
    const take = (how: 'stream' | 'bytes' | 'blob') =>
      how === 'stream' ? new Response(file.stream).arrayBuffer() : file[how]()
    await take(first)
    await expect(take(second)).rejects.toThrow('The bytes of 0.png were taken before. Download the file again.')
  })

  test('sends no API key and no header of the client: the file may be anywhere', async () => {
    const { client, service } = createTestClient([text(200, 'x')], { headers: { 'x-tenant': 'one' } })
    await (await client.files.download(FILE_URL)).bytes()
    expect(Object.fromEntries(service.received[0]?.headers ?? [])).toEqual({ 'accept-encoding': 'identity' })
    expect(service.received[0]?.url).toBe(FILE_URL)
  })

  test.each([
    '',
    'job_1/0.png',
    'file:///etc/passwd',
    `https://me:${API_KEY}@files.example.com/0.png`,
    undefined as unknown as string,
    {} as unknown as string,
  ])('rejects the url %j without printing it', async (url) => {
    const { client, service } = createTestClient([text(200, 'x')])
    const error = await caught((async () => await client.files.download(url))(), ConfigurationError)
    expect(error.message).toContain('http, https or data')
    expect(printedForms(error)).not.toContain(API_KEY)
    expect(service.received).toHaveLength(0)
  })

  test.each(['content-length', 'bytes'])('ends at maxBytes, by %s', async (by) => {
    const host = (content: string) => createFileHost({ content, hasLength: by === 'content-length' })
    const fits = await start(host('12345'), { maxBytes: 5 }).download
    expect(await fits.bytes()).toHaveLength(5)
    const read = start(host('123456'), { maxBytes: 5 }).download.then((file) => file.bytes())
    const error = await caught(read, InvalidResponseError)
    expect(error).toMatchObject({ message: expect.stringContaining('larger than maxBytes (5)'), isRetryable: false })
  })
})

test('a ky instance of the caller lends its `fetch` to downloads, and nothing else: files may be on any host', async () => {
  const hook = () => {
    throw new Error('not for files')
  }
  const fetch = vi.fn(async () => new Response('mine'))
  const mine = ky.extend({ fetch, headers: { 'x-gateway-key': 'secret' }, hooks: { beforeRequest: [hook] } })
  const { client } = createTestClient([], { fetch: undefined, ky: mine })
  expect(await (await client.files.download(FILE_URL)).bytes()).toHaveLength(4)
  expect(fetch.mock.calls).toMatchObject([[FILE_URL, { headers: { 'accept-encoding': 'identity' } }]])
})

describe('a request for a file', () => {
  test.each([400, 401, 403, 404, 410, 501, 204, 206, 304])('is not repeated after the status %i', async (status) => {
    const { download, service, clock } = start(text(status, null))
    const error = await caught(clock.run(download), InvalidResponseError)
    expect(error).toMatchObject({ status, isRetryable: false })
    expect(service.received).toHaveLength(1)
  })

  test.each([
    ['bytes 0-5/6', true],
    ['bytes 0-5/7', false],
    ['bytes 1-6/6', false],
    ['bytes 0-5/*', false],
  ])('takes a range that is the whole file, and no other: %s', async (range, isTaken) => {
    const { download, clock } = start(text(206, 'pixels', { 'content-range': range }))
    const [{ status }] = await clock.run(Promise.allSettled([download]))
    expect(status).toBe(isTaken ? 'fulfilled' : 'rejected')
  })

  test('is repeated after a status that may pass, a failed connection and a time limit, like every read', async () => {
    const steps = [text(503, ''), unconnected('ECONNREFUSED'), silent(), text(200, 'pixels')]
    const { download, service, clock } = start(steps, { maxRetries: 3 })
    await clock.run(download)
    expect(service.times()).toEqual([0, 250, 750, 31_750])
  })

  test('is repeated as often as the client says, or the call', async () => {
    const client = createTestClient([text(503, '')], { maxRetries: 1 })
    await caught(client.clock.run(client.client.files.download(FILE_URL)), InvalidResponseError)
    expect(client.service.received).toHaveLength(2)
    const call = start(text(503, ''), { maxRetries: 4 })
    await caught(call.clock.run(call.download), InvalidResponseError)
    expect(call.service.received).toHaveLength(5)
  })
})

describe('the error of a download', () => {
  test('says what was tried, without the query of the url', async () => {
    const { download, clock } = start([broken('ECONNRESET'), text(503, '', { 'retry-after': '2' })])
    const startedAt = clock.now()
    const error = await caught(clock.run(download), InvalidResponseError)
    expect(error.message).toBe(
      'The download of https://files.example.com/job_1/0.png failed after 3 requests: HTTP 503.',
    )
    expect(error).toMatchObject({ status: 503, retryAfterMs: 2_000, isRetryable: true, submission: 'not_sent' })
    expect(error.jobId).toBeUndefined()
    expect(error.attempts).toEqual([
      { startedAt, durationMs: 0, reason: 'ECONNRESET', delayMs: 250 },
      { startedAt: startedAt + 250, durationMs: 0, status: 503, reason: 'HTTP 503', delayMs: 2_000 },
      { startedAt: startedAt + 2_250, durationMs: 0, status: 503, reason: 'HTTP 503' },
    ])
    expect(printedForms(error)).not.toContain('secret')
  })

  test('does not print the url that the system names', async () => {
    const failure: Step = ({ url }) => {
      throw new TypeError(`Failed to fetch ${url}`)
    }
    const { download } = start(failure, { maxRetries: 0 })
    const error = await caught(download, ConnectionError)
    expect(error.message).toContain('failed: Failed to fetch https://files.example.com/job_1/0.png.')
    expect(printedForms(error)).not.toContain('secret')
  })
})
