import ky from 'ky'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { printedForms } from '../../../test/printed-forms.ts'
import { json, text } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient } from '../../../test/test-client.ts'
import { systemClock } from '../../shared/clock.ts'
import { HookError, InvalidResponseError } from '../errors/transport-errors.ts'

const FILE_URL = 'https://files.example.com/job_1/0.png'

/** Reads the file to its end. */
async function read({ client, clock }: ReturnType<typeof createTestClient>): Promise<string> {
  const file = client.files.download(FILE_URL, { maxRetries: 1 })
  return await clock.run(file.then(async (open) => new TextDecoder().decode(await open.bytes())))
}

describe('a ky instance of the caller, in a download', () => {
  test('sees each request and the head of each response, and no API key', async () => {
    const seen: string[] = []
    const printed: string[] = []
    const mine = ky.extend({
      context: { tenant: 'a' },
      hooks: {
        beforeRequest: [
          ({ request, options }) => {
            printed.push(printedForms(request))
            seen.push(`${request.method} ${request.url} ${request.headers.get('range')} ${options.context?.tenant}`)
          },
        ],
        beforeRetry: [({ error, retryCount }) => void seen.push(`retry ${retryCount} after ${error.name}`)],
        afterResponse: [
          async ({ response }) => {
            const text = await response.text()
            seen.push(`${response.status} ${response.headers.get('content-length')} "${text}"`)
          },
        ],
      },
    })
    const host = createFileHost({
      content: 'pixels',
      headers: { etag: '"1"' },
      faults: [text(503, 'busy'), { bytes: 2, how: 'breaks' }],
    })
    await expect(read(createTestClient([host], { ky: mine }))).resolves.toBe('pixels')
    expect(seen).toEqual([
      `GET ${FILE_URL} null a`,
      '503 null ""',
      'retry 1 after HTTPError',
      '200 6 ""',
      `GET ${FILE_URL} bytes=2- a`,
      '206 4 ""',
    ])
    expect(printed.join()).not.toContain(API_KEY)
  })

  test('sends neither its own headers nor those that a hook adds to the host of a file', async () => {
    const mine = ky.extend({
      prefix: 'https://api.example.com/',
      headers: { 'x-gateway-key': 'secret', cookie: 'session=secret' },
      searchParams: { tenant: 'secret' },
      credentials: 'include',
      hooks: {
        init: [
          (options) => {
            options.headers = { 'x-init': 'secret' }
            options.searchParams = { init: 'secret' }
            options.fetch = async () => new Response('from elsewhere')
          },
        ],
        beforeRequest: [
          ({ request }) => {
            request.headers.set('authorization', 'Bearer secret')
            return new Request('https://elsewhere.example.com/', request)
          },
        ],
      },
    })
    const harness = createTestClient([text(200, 'pixels')], { ky: mine, headers: { 'x-tenant': 'secret' } })
    await expect(read(harness)).resolves.toBe('pixels')
    expect(harness.service.received.map(({ url, headers }) => [url, Object.fromEntries(headers)])).toEqual([
      [FILE_URL, { 'accept-encoding': 'identity' }],
    ])
  })

  test('cannot take away retries, time limits or what a status means', async () => {
    const mine = ky.extend({ retry: 0, timeout: 1, totalTimeout: 1, throwHttpErrors: false })
    const harness = createTestClient([text(503, '')], { ky: mine })
    const error = await caught(read(harness), InvalidResponseError)
    expect(error.attempts).toHaveLength(2)
  })

  test('can end the retries', async () => {
    const harness = createTestClient([text(503, '')], { ky: ky.extend({ hooks: { beforeRetry: [() => ky.stop] } }) })
    expect(await caught(read(harness), InvalidResponseError)).toMatchObject({ status: 503 })
    expect(harness.service.received).toHaveLength(1)
  })

  test('cannot force a request that the rules do not allow', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [() => ky.retry()] } })
    const good = createTestClient([text(200, 'pixels')], { ky: mine, clock: systemClock })
    await expect((await good.client.files.download(FILE_URL)).bytes()).resolves.toHaveLength(6)
    expect(good.service.received).toHaveLength(1)
    const bad = createTestClient([text(503, '')], { ky: mine, clock: systemClock })
    await caught(bad.client.files.download(FILE_URL), InvalidResponseError)
    expect(bad.service.received.length).toBeLessThanOrEqual(3)
  })

  test('cannot shorten the wait before a retry', async () => {
    const retry = ({ request }: { request: Request }) => new Request(request)
    const harness = createTestClient([text(503, ''), text(200, 'pixels')], {
      ky: ky.extend({ hooks: { beforeRetry: [retry] } }),
    })
    await expect(read(harness)).resolves.toBe('pixels')
    const [first, second] = harness.service.received.map(({ at }) => at)
    expect((second ?? 0) - (first ?? 0)).toBe(250)
    expect(harness.clock.timerCount).toBe(0)
  })

  test.each([
    ['at once', { beforeRequest: [() => new Response('mine')] }, 0],
    ['instead of a retry', { beforeRetry: [() => new Response('mine')] }, 1],
  ])('can respond instead of the host, %s', async (_, hooks, requests) => {
    const harness = createTestClient([text(503, '')], { ky: ky.extend({ hooks }) })
    await expect(read(harness)).resolves.toBe('mine')
    expect(harness.service.received).toHaveLength(requests)
  })

  test('is asked for its fetch', async () => {
    const mine = ky.extend({ fetch: async () => new Response('mine') })
    await expect(read(createTestClient([], { fetch: undefined, ky: mine }))).resolves.toBe('mine')
  })

  test('does not change what an error is', async () => {
    const mine = ky.extend({ hooks: { beforeError: [() => new Error('mine')] } })
    const harness = createTestClient([json(404, {})], { ky: mine })
    await caught(read(harness), InvalidResponseError)
  })

  test('whose hook never settles does not outlive an abort', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [() => new Promise<undefined>(() => {})] } })
    const { client } = createTestClient([text(200, 'x')], { ky: mine })
    const signal = AbortSignal.timeout(5)
    await expect(client.files.download(FILE_URL, { signal })).rejects.toMatchObject({ name: 'AbortedError' })
  })

  test.each([
    ['a good response', text(200, 'pixels')],
    ['an error status', text(404, '')],
  ])('whose hook throws after %s ends the download with a HookError', async (_, step) => {
    const fault = new RangeError('a fault of the caller')
    const mine = ky.extend({
      hooks: {
        afterResponse: [
          () => {
            throw fault
          },
        ],
      },
    })
    const { client, clock } = createTestClient([step], { ky: mine })
    const error = await caught(clock.run(client.files.download(FILE_URL, { jobId: 'job_1' })), HookError)
    expect(error.message).toContain('failed in the download of https://files.example.com/job_1/0.png: a fault of')
    expect(error).toMatchObject({ cause: fault, jobId: 'job_1', submission: 'accepted' })
  })
})
