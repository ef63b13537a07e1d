import { runInNewContext } from 'node:vm'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { json, text } from '../../../test/scripted-service.ts'
import { API_KEY, BASE_URL, createTestClient } from '../../../test/test-client.ts'
import { ModelRun } from '../client.ts'
import type { ModelRunOptions } from '../options.ts'
import type { FetchOptions } from './fetch.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }
const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }
const SUCCEEDED = { data: { status: 'succeeded', output: { type: 'image', items: [] } } }

/** A client and what its `fetch` got. */
function createClient(options: ModelRunOptions = {}) {
  const received: Record<string, unknown>[] = []
  const { client, clock, service } = createTestClient([json(200, MODELS)], {
    ...options,
    fetch: async (url, init) => {
      received.push({ ...init })
      if (url.startsWith('https://files')) return new Response('pixels')
      if (url.includes('/jobs/')) return Response.json(SUCCEEDED)
      return Response.json(init.method === 'POST' ? QUEUED : MODELS)
    },
  })
  return { client, clock, service, received }
}

const wrong = (fetchOptions: unknown) =>
  new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL, fetchOptions } as ModelRunOptions)

describe('fetchOptions', () => {
  test('go to fetch with every request, and leave what the client decides as it is', async () => {
    const dispatcher = { dispatch: () => {} }
    const { client, clock, received } = createClient({ fetchOptions: { dispatcher, priority: 'low', tls: undefined } })
    await clock.run(client.run('aurora-image', {}, { mode: 'async' }))
    expect(received.map(({ method }) => method)).toEqual(['POST', 'GET'])
    for (const init of received) {
      expect(init).toMatchObject({ priority: 'low', redirect: 'manual', signal: expect.any(AbortSignal) })
      expect(init.dispatcher).toBe(dispatcher)
      expect(init).not.toHaveProperty('tls')
    }
    expect(received[0]?.body).toBe('{"input":{},"sync":false}')
  })

  test('of a call are over those of the client, member by member', async () => {
    const { client, received } = createClient({ fetchOptions: { priority: 'low', proxy: 'client', cf: {} } })
    await client.models.list({}, { fetchOptions: { priority: 'high', proxy: undefined } })
    await client.models.list()
    expect(received).toMatchObject([
      { priority: 'high', proxy: 'client', cf: {} },
      { priority: 'low', proxy: 'client', cf: {} },
    ])
  })

  test('go to downloads too, but not what is about the origin of the service', async () => {
    const { client, received } = createClient({
      fetchOptions: { proxy: 'p', credentials: 'include', mode: 'same-origin' },
    })
    await client.files.download('https://files.example.com/0.png')
    await client.files.download('https://files.example.com/0.png', { fetchOptions: { proxy: 'q', mode: 'cors' } })
    expect(received).toMatchObject([{ proxy: 'p' }, { proxy: 'q', mode: 'cors' }])
    expect(received[0]).not.toHaveProperty('credentials')
    expect(received[0]).not.toHaveProperty('mode')
    expect(received.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })

  test.each([
    ['method', 'GET', 'the client sets it'],
    ['headers', {}, 'use the option `headers`'],
    ['body', 'x', 'the client sets it'],
    ['signal', new AbortController().signal, 'use the option `signal` of the call'],
    ['redirect', 'follow', 'so that the API key stays with `baseUrl`'],
    ['cache', 'no-store', 'the client sets it'],
    ['duplex', 'half', 'the client sets it'],
    ['window', null, 'the client sets it'],
  ])('cannot have %s: the error says what to do instead', (member, value, instead) => {
    const message = `The option \`fetchOptions\` must not have \`${member}\``
    expect(() => wrong({ [member]: value })).toThrow(ConfigurationError)
    expect(() => wrong({ [member]: value })).toThrow(message)
    expect(() => wrong({ [member]: value })).toThrow(instead)
    expect(() => wrong({ [member]: undefined })).not.toThrow()
  })

  test('of a call that are wrong end the call before anything is sent', async () => {
    const { client, received } = createClient()
    const fetchOptions = { signal: AbortSignal.abort() } as unknown as FetchOptions
    const error = await caught(client.models.list({}, { fetchOptions }), ConfigurationError)
    expect(error.message).toContain('must not have `signal`')
    await caught(client.files.download('https://files.example.com/0.png', { fetchOptions }), ConfigurationError)
    expect(received).toEqual([])
  })

  class Agent {
    dispatch() {}
  }

  test.each([[new Agent()], [null], ['http://proxy'], [[]], [() => {}]])('cannot be %o', (value) => {
    expect(() => wrong(value)).toThrow('must be a plain object, like { dispatcher }')
  })

  test('may come from another realm, as in some test runners', () => {
    expect(() => wrong(runInNewContext('({ keepalive: true })'))).not.toThrow()
    expect(() => wrong(Object.create(null))).not.toThrow()
  })
})

test('fetch never gets a Request, and its headers can be copied', async () => {
  const urls: unknown[] = []
  const { client, service } = createTestClient([text(200, JSON.stringify(MODELS))], {
    fetch: async (url, init) => {
      urls.push(url)
      return await service.fetch(url, { ...init, headers: { ...init.headers, 'x-copied': '1' } })
    },
  })
  await client.models.list({ limit: 1 })
  expect(urls).toEqual([`${BASE_URL}/v1/models?limit=1`])
  expect(Object.fromEntries(service.received[0]?.headers ?? [])).toMatchObject({
    accept: 'application/json',
    authorization: `Bearer ${API_KEY}`,
    'x-copied': '1',
  })
})
