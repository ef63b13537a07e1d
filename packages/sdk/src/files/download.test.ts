import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../errors/local-errors.ts'
import { AbortedError, AttemptTimeoutError, ConnectionError, InvalidResponseError } from '../errors/transport-errors.ts'
import { caught } from '../testing/caught.ts'
import { settle } from '../testing/manual-clock.ts'
import { broken, cut, type Step, silent, stalled, text } from '../testing/scripted-service.ts'
import { createTestClient } from '../testing/test-client.ts'
import type { DownloadOptions } from './download.ts'

const URL_OF_FILE = 'https://files.example.com/job_1/0.png?token=secret'

function start(step: Step, options: DownloadOptions = {}) {
  const bench = createTestClient([step])
  return { ...bench, download: bench.client.files.download({ type: 'image', url: URL_OF_FILE }, options) }
}

describe('files.download (section 2.5)', () => {
  test('gives the name, the type and the bytes of a produced file', async () => {
    const { download } = start(text(200, 'pixels', { 'content-type': 'image/png' }))
    const file = await download
    expect(file).toMatchObject({ name: '0.png', contentType: 'image/png' })
    expect(new TextDecoder().decode(await file.bytes())).toBe('pixels')
  })

  test('sends no API key and no header of the client: the address may be anywhere', async () => {
    const { client, service } = createTestClient([text(200, 'x')], { headers: { 'x-tenant': 'one' } })
    await (await client.files.download(URL_OF_FILE)).bytes()
    expect(Object.fromEntries(service.received[0]?.headers ?? [])).toEqual({})
    expect(service.received[0]?.url).toBe(URL_OF_FILE)
  })

  test.each([
    [404, false],
    [429, true],
    [503, true],
  ])('rejects for the status %i, without the query of the address', async (status, isRetryable) => {
    const { download, clock } = start(text(status, ''))
    const error = await caught(clock.run(download), InvalidResponseError)
    expect(error).toMatchObject({ status, isRetryable })
    expect(error.message).toBe(`The file at https://files.example.com/job_1/0.png cannot be had: HTTP ${status}.`)
  })

  test.each(['', 'job_1/0.png', 'file:///etc/passwd', 'data:text/plain,x'])(
    'refuses the address %j',
    async (address) => {
      const { client, service } = createTestClient([text(200, 'x')])
      await caught(client.files.download(address), ConfigurationError)
      expect(service.received).toHaveLength(0)
    },
  )

  test.each([{ maxBytes: 0 }, { maxBytes: Number.NaN }, { timeoutMs: -1 }])(
    'refuses the options %j',
    async (options) => {
      await caught(start(text(200, 'x'), options).download, ConfigurationError)
    },
  )

  test('rejects when the connection fails', async () => {
    const { download, clock } = start(broken('ECONNREFUSED'))
    const error = await caught(clock.run(download), ConnectionError)
    expect(error).toMatchObject({ message: expect.stringContaining('failed: ECONNREFUSED.'), isRetryable: true })
  })

  test('fails in the stream when the connection breaks', async () => {
    const file = await start(cut(200, 'pix')).download
    await caught(file.bytes(), ConnectionError)
  })

  test('ends at maxBytes', async () => {
    const fits = await start(text(200, '12345'), { maxBytes: 5 }).download
    expect(await fits.bytes()).toHaveLength(5)
    const tooLarge = await start(text(200, '123456'), { maxBytes: 5 }).download
    const error = await caught(tooLarge.bytes(), InvalidResponseError)
    expect(error.message).toContain('larger than maxBytes (5)')
  })

  test('asks again for a file that is not there yet, as often as for everything else', async () => {
    const { client, service, clock } = createTestClient([broken('ECONNRESET'), text(503, ''), text(200, 'pixels')])
    const file = await clock.run(client.files.download(URL_OF_FILE))
    expect(new TextDecoder().decode(await file.bytes())).toBe('pixels')
    const [first = 0, ...others] = service.received.map(({ at }) => at)
    expect(others.map((at) => at - first)).toEqual([250, 750])
  })

  test('waits for a file as long as the service asks', async () => {
    const { client, service, clock } = createTestClient([text(429, '', { 'retry-after': '3' }), text(200, 'pixels')])
    await clock.run(client.files.download(URL_OF_FILE))
    const [first = 0, second = 0] = service.received.map(({ at }) => at)
    expect(second - first).toBe(3_000)
  })

  test('has a time limit until the head of the answer', async () => {
    const { download, clock } = start(silent(), { timeoutMs: 1_000, maxRetries: 0 })
    const startedAt = clock.now()
    await caught(clock.run(download), AttemptTimeoutError)
    expect(clock.now() - startedAt).toBe(1_000)
  })

  test('has a time limit between two chunks', async () => {
    const { download, clock } = start(stalled(200, 'pix'))
    const file = await download
    const startedAt = clock.now()
    const error = await caught(clock.run(file.bytes()), AttemptTimeoutError)
    expect(error.message).toContain('stood still for 30000 ms')
    expect(clock.now() - startedAt).toBe(30_000)
  })

  test.each([
    ['the head', silent()],
    ['the body', stalled(200, 'pix')],
  ])('settles at once when its signal aborts before %s is there', async (_, step) => {
    const controller = new AbortController()
    const { download } = start(step, { signal: controller.signal })
    const failure = caught(
      download.then((file) => file.bytes()),
      AbortedError,
    )
    await settle()
    controller.abort('enough')
    expect((await failure).cause).toBe('enough')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  test.each([
    ['it was read', async (stream: ReadableStream) => new Response(stream).text()],
    ['it was cancelled', async (stream: ReadableStream) => stream.cancel()],
  ])('leaves no listener and no timer when %s', async (_, finish) => {
    const { signal } = new AbortController()
    const { download, clock } = start(text(200, 'pixels'), { signal })
    await finish((await download).stream)
    await settle()
    expect([getEventListeners(signal, 'abort').length, clock.timerCount]).toEqual([0, 0])
  })
})
