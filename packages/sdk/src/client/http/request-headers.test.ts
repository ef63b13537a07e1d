import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { printedForms } from '../../../test/printed-forms.ts'
import { json } from '../../../test/scripted-service.ts'
import { API_KEY, BASE_URL, createTestClient } from '../../../test/test-client.ts'
import { ModelRun } from '../client.ts'
import type { ModelRunOptions } from '../options.ts'
import type { HeadersOption } from './fetch.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }

/** The headers of one request, without those of the client itself. */
async function sent(client: HeadersOption, call?: HeadersOption): Promise<Record<string, string>> {
  const harness = createTestClient([json(200, MODELS)], { headers: client })
  await harness.client.models.list({}, { headers: call })
  const { authorization, accept, ...others } = Object.fromEntries(harness.service.received[0]?.headers ?? [])
  expect([authorization, accept]).toEqual([`Bearer ${API_KEY}`, 'application/json'])
  return others
}

const wrong = (headers: unknown) => new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL, headers } as ModelRunOptions)

describe('headers', () => {
  test.each<[string, HeadersOption]>([
    ['an object', { 'X-Tenant': 'a', 'x-empty': '' }],
    ['an object with undefined members', { 'x-tenant': 'a', 'x-empty': '', 'x-none': undefined }],
    ['Headers', new Headers({ 'x-tenant': 'a', 'x-empty': '' })],
    ['pairs', [['x-tenant', 'a'], ['x-empty', '']]], // biome-ignore format: a row
    ['a Map', new Map(Object.entries({ 'x-tenant': 'a', 'x-empty': '' }))],
  ])('are taken from %s, of the client and of a call', async (_, headers) => {
    await expect(sent(headers)).resolves.toEqual({ 'x-tenant': 'a', 'x-empty': '' })
    await expect(sent({}, headers)).resolves.toEqual({ 'x-tenant': 'a', 'x-empty': '' })
  })

  test('of a call are over those of the client, whatever their case and form', async () => {
    const client = new Headers({ 'X-Both': 'client', 'x-client': '1' })
    await expect(sent(client, [['x-BOTH', 'call']])).resolves.toEqual({ 'x-both': 'call', 'x-client': '1' })
    await expect(sent(client, { 'x-both': undefined })).resolves.toEqual({ 'x-both': 'client', 'x-client': '1' })
  })

  test('that come twice in one list are sent as one, as fetch does it', async () => {
    await expect(sent([['x-a', '1'], ['X-A', '2']])).resolves.toEqual({ 'x-a': '1, 2' }) // biome-ignore format: a row
  })

  test('are those of the time when the client was made', async () => {
    const headers = new Headers({ 'x-tenant': 'a' })
    const { client, service } = createTestClient([json(200, MODELS)], { headers })
    headers.set('x-tenant', 'b')
    await client.models.list()
    expect(service.received[0]?.headers.get('x-tenant')).toBe('a')
  })

  test.each([
    ['x tenant', API_KEY, 'does not allow'],
    ['', API_KEY, 'does not allow'],
    ['x-tenant', `${API_KEY}\nx`, 'does not allow'],
    ['x-tenant', `${API_KEY}€`, 'does not allow'],
    ['x-tenant', [API_KEY], 'that HTTP does not allow'],
    ['x-tenant', null, 'that HTTP does not allow'],
    ['Content-Length', '7', 'leave it out'],
    ['expect', '100-continue', 'leave it out'],
    ['keep-alive', 'timeout=5', 'leave it out'],
    ['transfer-encoding', 'chunked', 'leave it out'],
    ['upgrade', 'h2c', 'leave it out'],
  ])('%j: %j are an error that names the header, not its value', (name, value, reason) => {
    for (const headers of [{ [name]: value }, [[name, value]]]) {
      const error = failureOf(() => wrong(headers))
      expect(error.message).toContain(`The header ${JSON.stringify(name)}`)
      expect(error.message).toContain(reason)
      expect(printedForms(error)).not.toContain(API_KEY)
    }
  })

  test.each([[API_KEY], [null], [1], [[API_KEY]], [[[API_KEY]]], [() => {}]])('cannot be %j', (headers) => {
    const error = failureOf(() => wrong(headers))
    expect(error.message).toContain('The option `headers` must be an object')
    expect(printedForms(error)).not.toContain(API_KEY)
  })
})

function failureOf(make: () => unknown): ConfigurationError {
  try {
    make()
  } catch (error) {
    if (error instanceof ConfigurationError) return error
  }
  throw new Error('There was no such error.')
}
