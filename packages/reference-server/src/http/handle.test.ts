import { errorBodySchema } from '@modelrun/contract'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { apiCaller, MODEL, openServer } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PREFIXES = [
  '/v1/models/',
  '/v1/models/aurora-image',
  '/v1/jobs/',
  '/files/',
  '/files/job_1/',
  '/_reference/',
  '/',
]

async function expectRejection(server: ReferenceServer, path: string, init: RequestInit): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json', ...init.headers }
  const response = await server.fetch(`${server.baseUrl}${path}`, { ...init, headers })
  const text = await response.text()
  expect(response.status, `${init.method} ${path}: ${text}`).toBeLessThan(500)
  if (response.status < 400 || init.method === 'HEAD') return
  expect(response.headers.get('content-length')).toBe(String(new TextEncoder().encode(text).byteLength))
  const body = errorBodySchema.parse(JSON.parse(text))
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error)).toEqual(['code', 'message'])
}

const part = fc.string({
  unit: fc.constantFrom('/', '%', '2', 'F', '.', '?', '=', '&', 'a', 'run', '\\', ' ', 'ä', '#'),
})
const name = fc.oneof(fc.constantFrom('limit', 'offset', 'search', 'category', '__proto__', 'toString'), fc.string())
const pairs = fc.array(fc.tuple(name, fc.oneof(fc.string(), fc.integer().map(String))), { maxLength: 4 })
const bodyPath = fc.constantFrom('/v1/models/aurora-image/run', '/_reference/keys', '/_reference/scripts')
const input = fc.dictionary(fc.constantFrom('prompt', 'num_images', 'image_size', '__proto__', 'x'), fc.jsonValue())
const run = fc.record({ input: fc.oneof(input, fc.jsonValue()), sync: fc.jsonValue() }, { requiredKeys: ['input'] })
const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })

interface Sent extends RequestInit {
  path: string
}

const SENT: Readonly<Record<string, fc.Arbitrary<Sent>>> = {
  path: fc
    .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PREFIXES), part)
    .map(([method, prefix, rest]) => ({ method, path: prefix + rest })),
  query: fc
    .oneof(
      pairs.map((list) => String(new URLSearchParams(list))),
      fc.string(),
    )
    .map((query) => ({ method: 'GET', path: `/v1/models?${query.replaceAll('#', '')}` })),
  bytes: fc
    .tuple(bodyPath, fc.uint8Array({ maxLength: 200 }))
    .map(([path, bytes]) => ({ method: 'POST', path, body: new Uint8Array(bytes) })),
  JSON: fc
    .tuple(bodyPath, fc.oneof(run, fc.jsonValue()))
    .map(([path, json]) => ({ method: 'POST', path, body: JSON.stringify(json) })),
  headers: fc.tuple(value, value).map(([authorization, type]) => ({
    method: 'POST',
    path: '/v1/models/aurora-image/run',
    body: '{}',
    headers: { authorization, 'content-type': type, 'content-length': type },
  })),
}

it.each(Object.entries(SENT))('any %s gets a status below 500, with an error body from 400', async (_, sent) => {
  const server = createReferenceServer({ clock: 'auto', credits: 1_000_000 })
  const isRejected = fc.asyncProperty(sent, ({ path, ...init }) => expectRejection(server, path, init))
  await fc.assert(isRejected, { numRuns: 150 })
})

describe('handle', () => {
  it('responds although the log throws', async () => {
    const sent = vi.spyOn(console, 'error').mockImplementation(() => {})
    const log = () => {
      throw new Error('disk full')
    }
    const response = await createReferenceServer({ log }).fetch('/v1/models')
    expect(response.status).toBe(401)
    expect(sent).toHaveBeenCalledExactlyOnceWith(expect.any(String), new Error('disk full'))
  })

  it('logs method, path, status and time of each request, but no query', async () => {
    const lines: string[] = []
    const server = createReferenceServer({ clock: 'auto', log: (line) => lines.push(line) })
    await apiCaller(server).run('aurora-image')
    await server.fetch(`/_reference/deliveries?key=${server.apiKey}`)
    expect(lines).toEqual(['POST /v1/models/aurora-image/run 200 4000 ms', 'GET /_reference/deliveries 200 0 ms'])
  })
})

const setUp = (options: Parameters<typeof openServer>[0] = {}) => openServer({ clock: 'auto', ...options })

describe('x-request-id', () => {
  it('is another one for each response of the service, whatever its status', async () => {
    const { server, caller } = setUp()
    const { body, headers } = await caller.run(MODEL)
    const { output } = body as { output: { items: { url: string }[] } } // checked by the tests of runs
    expect((await caller.post('/_reference/keys', {})).headers.get('x-request-id')).toBeNull()
    const responses = [
      await caller.get('/v1/models'),
      await caller.get('/v1/models/none'),
      await server.fetch('/v1/models'),
      await caller.run(MODEL, { sync: 'yes' }),
      await caller.get('/elsewhere'),
      await server.fetch(output.items[0]?.url ?? ''),
    ]
    const ids = [headers, ...responses.map((response) => response.headers)].map((one) => one.get('x-request-id'))
    expect(ids).toEqual(['http_1', 'http_2', 'http_3', 'http_4', 'http_5', 'http_6', 'http_7'])
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 401, 400, 404, 200])
  })

  it('comes with a body that a fault corrupts, and with what a fault sends instead', async () => {
    const { server, caller } = setUp()
    for (const kind of ['slow-body', 'truncated-body', 'unavailable', 'rate-limit'] as const) {
      server.faults.add({ kind, route: 'listModels', times: 1 })
      const response = await server.fetch('/v1/models', { headers: { authorization: `Bearer ${server.apiKey}` } })
      expect([kind, response.headers.get('x-request-id')]).toEqual([kind, expect.stringMatching(/^http_\d$/)])
      await response.text().catch(() => {})
    }
    server.faults.add({ kind: 'response', headers: { 'X-Request-Id': 'mine' }, times: 1 })
    expect((await caller.get('/v1/models')).headers.get('x-request-id')).toBe('mine')
    expect((await caller.get('/v1/models')).headers.get('x-request-id')).toBe('http_6')
  })
})
