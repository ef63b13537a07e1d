import { expect, it } from 'vitest'
import { createClock } from '../clock.ts'
import { createExchangeLog } from '../exchange.ts'
import { createRedactor } from '../redact.ts'
import { createCaller, createDownloader } from './caller.ts'

const KEY = 'sk_test_secret'

function callers(fetch: (url: string, init: RequestInit) => Promise<Response>, requestTimeoutMs = 1_000) {
  const log = createExchangeLog(createClock(), createRedactor([KEY]))
  const options = { baseUrl: 'https://api.example', fetch, log, requestTimeoutMs }
  return { call: createCaller(options), download: createDownloader(options), log }
}

it('records request and response, and keeps both in full for judging', async () => {
  const { call, log } = callers(async () => Response.json({ echo: KEY }, { status: 202 }))
  const response = await call({
    method: 'POST',
    path: '/v1/x',
    authorization: `Bearer ${KEY}`,
    body: `{"key":"${KEY}"}`,
  })
  expect(response).toMatchObject({ status: 202, json: { echo: KEY } })
  expect(log.exchanges).toMatchObject([
    {
      id: 1,
      direction: 'sent',
      request: {
        method: 'POST',
        url: 'https://api.example/v1/x',
        headers: { authorization: 'Bearer [redacted]', 'content-type': 'application/json' },
        body: '{"key":"sk_test_[redacted]"}',
      },
      response: { status: 202, body: '{"echo":"sk_test_[redacted]"}' },
    },
  ])
})

it('sends a request once, whatever the outcome, and says why no response came', async () => {
  let count = 0
  const { call, log } = callers(async () => {
    count++
    throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
  })
  await expect(call({ method: 'GET', path: '/v1/models', authorization: undefined })).rejects.toMatchObject({
    name: 'NoResponseError',
    message: 'No response to GET https://api.example/v1/models: fetch failed: socket hang up',
    exchange: log.exchanges[0],
  })
  expect(count).toBe(1)
})

it('gives up on headers, or a body, that do not come within the time limit', async () => {
  const never = (signal: AbortSignal | null | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const silent = callers((_, { signal }) => never(signal), 20)
  await expect(silent.call({ method: 'GET', path: '/', authorization: undefined })).rejects.toThrow('within 20 ms')
  const stalled = callers(async (_, { signal }) => {
    const body = new ReadableStream({ start: (controller) => never(signal).catch((error) => controller.error(error)) })
    return new Response(body)
  }, 20)
  await expect(stalled.call({ method: 'GET', path: '/', authorization: undefined })).rejects.toThrow('within 20 ms')
})

it('does not follow redirects, and reads a body that is not JSON as text', async () => {
  let redirect: RequestInit['redirect']
  const { call } = callers(async (_, init) => {
    redirect = init.redirect
    return new Response('<html>', { status: 302 })
  })
  const response = await call({ method: 'GET', path: '/', authorization: undefined })
  expect(response).toMatchObject({ status: 302, text: '<html>', json: undefined })
  expect(redirect).toBe('manual')
})

it('reads files without the key, and only their start', async () => {
  let sent: RequestInit = {}
  const { download, log } = callers(async (_, init) => {
    sent = init
    return new Response(new Uint8Array(1_000_000))
  })
  const { text } = await download('https://files.example/0.png?signature=abc')
  expect(new Headers(sent.headers).get('authorization')).toBeNull()
  expect(text).toMatch(/^\[\d+ bytes read\]$/)
  expect(log.exchanges[0]?.request.url).toBe('https://files.example/0.png?[redacted]')
})
