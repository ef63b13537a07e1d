import { ROUTES } from '@modelrun/contract'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../errors/local-errors.ts'
import { resolveOptions } from '../options.ts'
import { API_KEY } from '../testing/test-client.ts'
import { buildRequest } from './build-request.ts'
import type { Operation } from './operation.ts'

const options = resolveOptions({
  apiKey: API_KEY,
  baseUrl: 'https://api.example.com/inference/',
  headers: { 'x-tenant': 'client', 'x-both': 'client', Accept: 'text/html' },
})

const run = (parameters: Partial<Operation<unknown>>): Operation<unknown> => ({
  route: ROUTES.runModel,
  parameters: { model: 'aurora-image' },
  read: () => undefined,
  ...parameters,
})

describe('buildRequest', () => {
  test('puts the path of the route below the base address (section 4.3)', () => {
    expect(buildRequest(run({}), options, {})).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/inference/v1/models/aurora-image/run',
      path: '/v1/models/aurora-image/run',
      body: undefined,
    })
  })

  test('keeps an id with a slash one segment of the path (section 4.3)', () => {
    const { path } = buildRequest(run({ parameters: { model: 'northlight/retouch' } }), options, {})
    expect(path).toBe('/v1/models/northlight%2Fretouch/run')
  })

  test('writes a body as JSON and says so (section 4)', () => {
    const { body, headers } = buildRequest(run({ body: { input: { prompt: 'ö' } } }), options, {})
    expect(body).toBe('{"input":{"prompt":"ö"}}')
    expect(headers.get('content-type')).toBe('application/json')
  })

  test('sends no content type without a body', () => {
    expect(buildRequest(run({}), options, {}).headers.has('content-type')).toBe(false)
  })

  test('writes the query without what is undefined, percent-encoded (section 4.1)', () => {
    const query = { category: undefined, search: 'a b&c', limit: 5, offset: 0 }
    const { url, path } = buildRequest({ route: ROUTES.listModels, query, read: () => undefined }, options, {})
    expect(url).toBe('https://api.example.com/inference/v1/models?search=a+b%26c&limit=5&offset=0')
    expect(path).toBe('/v1/models')
  })

  test('lets headers of the call win over those of the client, whatever their case, and its own over both', () => {
    const { headers } = buildRequest(run({}), options, { headers: { 'X-Both': 'call' } })
    expect(Object.fromEntries(headers)).toEqual({ accept: 'application/json', 'x-both': 'call', 'x-tenant': 'client' })
  })

  test('holds no API key: that is added at each attempt', () => {
    expect(buildRequest(run({}), options, {}).headers.has('authorization')).toBe(false)
  })

  test.each([
    ['an empty id', run({ parameters: { model: '' } }), 'needs an id'],
    ['an id that would reach another endpoint', run({ parameters: { model: '..' } }), 'needs an id'],
    ['an id that is no text', run({ parameters: { model: '\ud800' } }), 'URI malformed'],
    ['a body with a big integer', run({ body: { input: { seed: 1n } } }), 'BigInt'],
  ])('refuses %s, and says that nothing was sent', (_, operation, reason) => {
    expect(() => buildRequest(operation, options, {})).toThrow(ConfigurationError)
    expect(() => buildRequest(operation, options, {})).toThrow(reason)
    expect(() => buildRequest(operation, options, {})).toThrow('Nothing was sent.')
  })

  test('refuses a body that holds itself', () => {
    const input: Record<string, unknown> = {}
    input.self = input
    expect(() => buildRequest(run({ body: { input } }), options, {})).toThrow(ConfigurationError)
  })

  test.each([
    ['x-token', `${API_KEY}\n1`],
    ['x token', API_KEY],
  ])('names the wrong header %j without printing its value', (name, value) => {
    const build = () => buildRequest(run({}), options, { headers: { [name]: value } })
    expect(build).toThrow(`The header "${name}" has a name or a value that HTTP does not allow.`)
    expect(build).not.toThrow(API_KEY)
  })
})
