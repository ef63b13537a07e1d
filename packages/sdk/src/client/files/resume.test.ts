import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost, type FileFault, type HostedFile } from '../../../test/file-host.ts'
import { type Step, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { AttemptTimeoutError, ConnectionError, InvalidResponseError } from '../errors/transport-errors.ts'
import type { DownloadOptions } from './file-options.ts'

const FILE_URL = 'https://files.example.com/job_1/0.mp4'
const CONTENT = 'a film of a red fox'
const ETAG = { etag: '"v1"' }
const MODIFIED = {
  'last-modified': 'Wed, 07 Jan 2026 10:00:00 GMT',
  date: 'Wed, 07 Jan 2026 10:00:01 GMT',
}
const BREAK: FileFault = { bytes: 6, how: 'breaks' }

function start(step: Step, options: DownloadOptions = {}) {
  const { client, service, clock } = createTestClient([step])
  const file = () => client.files.download(FILE_URL, options)
  return {
    service,
    clock,
    bytes: () => clock.run(file().then(async (open) => new TextDecoder().decode(await open.bytes()))),
    stream: () => clock.run(file().then(({ stream }) => new Response(stream).text())),
    ranges: () => service.received.map(({ headers }) => [headers.get('range'), headers.get('if-range')]),
  }
}

const host = (more: Partial<HostedFile>) =>
  createFileHost({ content: CONTENT, headers: ETAG, faults: [BREAK], ...more })

describe('a body that breaks', () => {
  test.each([
    ['breaks', ETAG],
    ['ends', ETAG],
    ['stalls', ETAG],
    ['breaks', MODIFIED],
  ] as const)('(it %s) continues where it broke, guarded by the validator of the file (%j)', async (how, headers) => {
    const { stream, ranges } = start(host({ headers, faults: [{ bytes: 6, how }] }))
    await expect(stream()).resolves.toBe(CONTENT)
    const validator = Object.values(headers)[0]
    expect(ranges()).toEqual([
      [null, null],
      ['bytes=6-', validator],
    ])
  })

  test('waits before it continues, as before every retry', async () => {
    const { stream, service } = start(host({}))
    await stream()
    const [first, second] = service.received.map(({ at }) => at)
    expect((second ?? 0) - (first ?? 0)).toBe(250)
  })

  test('counts its retries from 0 again after each new byte', async () => {
    const faults: FileFault[] = [text(503, ''), text(503, ''), BREAK, text(503, ''), BREAK, BREAK]
    const { stream, service } = start(host({ faults }))
    await expect(stream()).resolves.toBe(CONTENT)
    expect(service.received).toHaveLength(7)
  })

  test('is given up when no byte comes any more', async () => {
    const faults = [BREAK, ...Array(9).fill({ bytes: 0, how: 'breaks' })]
    const { stream, service } = start(host({ faults }), { jobId: 'job_1' })
    const error = await caught(stream(), ConnectionError)
    expect(service.received).toHaveLength(3)
    expect(error.attempts.map(({ status, reason }) => [status, reason])).toEqual([
      [200, 'ECONNRESET'],
      [206, 'ECONNRESET'],
      [206, 'ECONNRESET'],
    ])
    expect(error.message).toContain('failed after 3 requests: ECONNRESET. The first 6 of 19 bytes had come.')
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted', isRetryable: true })
  })

  test('is not read again with maxRetries 0', async () => {
    const { stream, service } = start(host({}), { maxRetries: 0 })
    await caught(stream(), ConnectionError)
    expect(service.received).toHaveLength(1)
  })

  test('that broke after its last byte is whole', async () => {
    const { stream, service } = start(host({ faults: [{ bytes: CONTENT.length, how: 'breaks' }] }))
    await expect(stream()).resolves.toBe(CONTENT)
    expect(service.received).toHaveLength(1)
  })
})

describe('when the host sends the whole file again', () => {
  test('a stream skips what it gave, for the same validator and length prove the same file', async () => {
    const { stream } = start(host({ hasRanges: false }))
    await expect(stream()).resolves.toBe(CONTENT)
  })

  test('a compressed file is requested as a whole, for its places are not those of the bytes', async () => {
    const headers = { ...ETAG, 'content-encoding': 'gzip' }
    const { stream, ranges } = start(host({ headers }))
    await expect(stream()).resolves.toBe(CONTENT)
    expect(ranges()).toEqual([
      [null, null],
      [null, null],
    ])
  })

  test('a page requests the whole file of another origin: a range would need a permission of the host', async () => {
    const serve = host({})
    const { stream, ranges } = start(async (request) =>
      Object.defineProperty(await serve(request), 'type', { value: 'cors' }),
    )
    await expect(stream()).resolves.toBe(CONTENT)
    expect(ranges()).toEqual([
      [null, null],
      [null, null],
    ])
  })

  test.each([
    ['ETag', { headers: { etag: '"v2"' } }],
    ['length', { content: 'another file', hasRanges: false }],
  ])('a stream fails when the %s is another, and says so', async (_, change) => {
    const file: HostedFile = { content: CONTENT, headers: ETAG, faults: [BREAK] }
    const serve = createFileHost(file)
    const { stream, service } = start((request) => {
      if (service.received.length === 2) Object.assign(file, change)
      return serve(request)
    })
    const error = await caught(stream(), InvalidResponseError)
    expect(error.message).toContain('the host sends the whole file, and nothing proves that it is the same')
    expect(error.message).toContain('The first 6 of 19 bytes had come.')
    expect(error.isRetryable).toBe(true)
  })

  test.each([
    ['no validator', {}],
    ['a weak ETag', { etag: 'W/"v1"' }],
    ['a weak ETag, whatever the date', { etag: 'W/"v1"', ...MODIFIED }],
    ['a Last-Modified of the same second', { ...MODIFIED, date: MODIFIED['last-modified'] }],
    ['a Last-Modified without a date', { 'last-modified': MODIFIED['last-modified'] }],
  ])(
    'a stream from a host with %s does not request it: nothing could prove that it is the same',
    async (_, headers) => {
      const { stream, service } = start(host({ headers: headers as Record<string, string> }))
      const error = await caught(stream(), ConnectionError)
      expect(error.message).toContain('neither a strong ETag nor a Last-Modified, so a stream cannot continue')
      expect(service.received).toHaveLength(1)
    },
  )

  test('`bytes` and `blob` start again, for they have given nothing yet', async () => {
    const file: HostedFile = { content: CONTENT, headers: {}, faults: [BREAK, BREAK] }
    const serve = createFileHost(file)
    const { bytes, service } = start((request) => {
      if (service.received.length === 3) file.content = 'another film'
      return serve(request)
    })
    await expect(bytes()).resolves.toBe('another film')
  })

  test('`bytes` forgets what it has read also when the file is empty now', async () => {
    const file: HostedFile = { content: CONTENT, faults: [BREAK] }
    const serve = createFileHost(file)
    const { bytes, service } = start((request) => {
      if (service.received.length === 2) file.content = ''
      return serve(request)
    })
    await expect(bytes()).resolves.toBe('')
  })

  test('the retries of a file that starts again count from the byte that it did not reach before', async () => {
    const faults = [BREAK, BREAK, BREAK]
    const { bytes, service } = start(host({ headers: {}, faults }))
    await caught(bytes(), ConnectionError)
    expect(service.received).toHaveLength(3)
  })
})

describe('a host that is wrong about ranges', () => {
  const part = (contentRange: string | undefined, headers: Record<string, string> = ETAG): Step => {
    return () =>
      new Response('XXXXXXXXXXXXX', {
        status: 206,
        headers: { ...headers, ...(contentRange ? { 'content-range': contentRange } : {}) },
      })
  }

  test.each([
    ['another place', part('bytes 7-18/19')],
    ['another length of the file', part('bytes 6-18/20')],
    ['another unit', part('chars 6-18/19')],
    ['no place', part(undefined)],
    ['another version', part('bytes 6-18/19', { etag: '"v2"' })],
    ['an encoding', part('bytes 6-18/19', { ...ETAG, 'content-encoding': 'gzip' })],
    ['no range at all', text(416, '')],
  ])('and responds with %s is asked for the whole file', async (_, step) => {
    const { stream, ranges } = start(host({ faults: [BREAK, step] }))
    await expect(stream()).resolves.toBe(CONTENT)
    expect(ranges().at(-1)).toEqual([null, null])
  })

  test('and sends less than the rest is asked for more', async () => {
    const some: Step = () =>
      new Response('of a', { status: 206, headers: { ...ETAG, 'content-range': 'bytes 7-10/19' } })
    const { stream } = start(host({ faults: [{ bytes: 7, how: 'ends' }, some] }))
    await expect(stream()).resolves.toBe(CONTENT)
  })
})

test('a stalled body and a broken body give different errors', async () => {
  const { stream } = start(host({ faults: [{ bytes: 6, how: 'stalls' }] }), { maxRetries: 0 })
  await caught(stream(), AttemptTimeoutError)
})
