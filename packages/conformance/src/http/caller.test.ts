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

it('gives up on a body that does not come within the time limit', async () => {
  const never = (signal: AbortSignal | null | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const stalled = callers(async (_, { signal }) => {
    const body = new ReadableStream({ start: (controller) => never(signal).catch((error) => controller.error(error)) })
    return new Response(body)
  }, 20)
  const { status, text } = await stalled.call({ method: 'GET', path: '/', authorization: undefined })
  expect([status, text]).toEqual([0, expect.stringContaining('within 20 ms')])
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
