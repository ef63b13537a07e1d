import { describe, expect, test } from 'vitest'
import { createTestProxy } from '../../test/test-proxy.ts'
import { isAllowedPage, isKnownHost, preflight } from './check-origin.ts'
import type { PageRequest } from './page-request.ts'

const OTHER = 'https://other.example.com'
const ALLOWED = new Set([OTHER, 'capacitor://localhost'])

function request(method: string, headers: Record<string, string>): PageRequest {
  const url = new URL('https://app.example.com/api/modelrun/v1/models')
  const unused = { raw: undefined, hasLeft: () => false, toRequest: () => new Request(url) }
  return { ...unused, method, url, headers: new Headers(headers), readBody: async () => expect.unreachable() }
}

describe('a page may use the proxy', () => {
  test.each([
    ['GET', 'of the own origin', { 'sec-fetch-site': 'same-origin' }],
    ['POST', 'of the own origin', { 'sec-fetch-site': 'same-origin', origin: 'https://app.example.com' }],
    ['GET', 'as a url that a person typed', { 'sec-fetch-site': 'none' }],
    ['GET', 'from a program that is not a browser', {}],
    ['POST', 'of the own origin, in a browser that does not name the site', { origin: 'https://app.example.com' }],
    ['POST', 'behind a load balancer that ends TLS', { origin: 'https://shop.example.com', host: 'shop.example.com' }],
    ['POST', 'whose host has a port', { origin: 'https://app.example.com', host: 'app.example.com:443' }],
    ['POST', 'of an allowed origin', { origin: OTHER, 'sec-fetch-site': 'cross-site' }],
    ['DELETE', 'of an allowed origin', { origin: OTHER }],
    ['POST', 'of an app', { origin: 'capacitor://localhost', 'sec-fetch-site': 'cross-site' }],
  ])('%s %s', (method, _, headers) => {
    expect(isAllowedPage(request(method, headers), ALLOWED)).toBe(true)
  })

  test.each([
    ['POST', 'of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://app.example.com' }],
    ['POST', 'that a person typed', { 'sec-fetch-site': 'none' }],
    ['POST', 'with two sites', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['DELETE', 'without any origin', {}],
    ['POST', 'of another port', { origin: 'https://app.example.com:8443' }],
    ['POST', 'of an origin with something after it', { origin: 'https://app.example.com/x' }],
    ['GET', 'of another origin', { origin: 'https://evil.example.com' }],
    ['GET', 'of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('but not %s %s', (method, _, headers) => {
    expect(isAllowedPage(request(method, headers), ALLOWED)).toBe(false)
  })
})

describe('a host', () => {
  const http = 'http://evil.test:3000'
  test.each([
    ['localhost:3000', { origin: 'http://localhost:3000' }, 'always'],
    ['app.localhost', {}, 'always'],
    ['192.168.1.20:3000', { origin: 'http://192.168.1.20:3000' }, 'always'],
    ['[::1]:3000', {}, 'always'],
    ['named.test:8080', { origin: 'http://named.test:8080' }, 'always'],
    ['shop.test', { origin: 'https://shop.test' }, 'unless others are named'],
    ['shop.test', { 'sec-fetch-site': 'same-origin' }, 'unless others are named'],
    ['api.test', { origin: OTHER }, 'unless others are named'],
    ['evil.test:3000', { origin: http }, 'never'],
    ['evil.test:3000', { origin: http, 'sec-fetch-site': 'same-origin' }, 'never'],
    ['evil.test:3000', {}, 'never'],
    ['127.0.0.1.evil.test', { origin: 'http://127.0.0.1.evil.test' }, 'never'],
    ['localhost.evil.test', { origin: 'http://localhost.evil.test' }, 'never'],
    ['evil.test#localhost', { origin: 'http://evil.test' }, 'never'],
    ['', {}, 'never'],
  ])('%s of a request with %j is known %s', (host, headers, expected) => {
    const asked = { ...request('POST', { host, ...headers }), url: new URL('http://localhost') }
    const [isKnown, isNamed] = [false, true].map((isComplete) =>
      isKnownHost(asked, { allowedOrigins: ALLOWED, hosts: { names: new Set(['named.test']), isComplete } }),
    )
    expect([isKnown, isNamed]).toEqual([expected !== 'never', expected === 'always'])
  })

  test('that is not known gets nothing but a 403', async () => {
    const harness = createTestProxy([], { allowedHosts: ['shop.example.com'], allowedOrigins: [...ALLOWED] })
    const statuses = { 'shop.example.com': 404, 'other.example.com': 404, 'app.example.com': 403 }
    for (const [host, status] of Object.entries(statuses))
      expect((await harness.send('GET /v1/jobs/x', { headers: { host } })).status).toBe(status)
  })
})

describe('CORS', () => {
  const ask = { origin: OTHER, 'access-control-request-method': 'POST' }

  test('a preflight of an allowed origin gets what the client of a page needs', () => {
    const asked = request('OPTIONS', { ...ask, 'access-control-request-headers': 'authorization,content-type' })
    const response = preflight(asked, ALLOWED)
    expect(response?.status).toBe(204)
    expect(Object.fromEntries(response?.headers ?? [])).toEqual({
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-max-age': '600',
    })
  })

  test('other preflights get nothing', () => {
    expect(preflight(request('OPTIONS', { ...ask, origin: 'https://evil.example.com' }), ALLOWED)).toBeUndefined()
    expect(preflight(request('OPTIONS', { origin: OTHER }), ALLOWED)).toBeUndefined()
    const otherHeader = request('OPTIONS', { ...ask, 'access-control-request-headers': 'x: y' })
    expect(preflight(otherHeader, ALLOWED)?.headers.has('access-control-allow-headers')).toBe(false)
  })

  test('without allowed origins there are no headers of CORS at all', async () => {
    const { send } = createTestProxy([])
    const { headers } = await send('GET /v1/jobs/x', { headers: { origin: OTHER, 'sec-fetch-site': 'same-origin' } })
    expect([...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'vary')).toEqual([])
  })

  test('each response names the allowed origin that asked, an error too, and caches keep them apart', async () => {
    const { send } = createTestProxy([], { allowedOrigins: [OTHER] })
    const { status, headers } = await send('POST /v1/models/x/run', { user: null, headers: { origin: OTHER } })
    expect(status).toBe(401)
    expect(headers.get('access-control-allow-origin')).toBe(OTHER)
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('vary')).toBe('origin')
    const evil = { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' }
    const foreign = await send('GET /v1/models', { headers: evil })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(foreign.headers.get('vary')).toBe('origin')
  })
})
