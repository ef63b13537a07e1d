import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { errorResponse, json, type Step } from '../../test/scripted-service.ts'
import { API_KEY, BASE_URL } from '../../test/test-client.ts'
import { createTestProxy, MODEL, model, PROXY_SECRET, RUN_PATH } from '../../test/test-proxy.ts'
import { ModelRun } from '../client/client.ts'
import { createProxy } from './create-proxy.ts'
import type { ProxyOptions } from './proxy-options.ts'

const QUEUED = json(202, { job_id: 'job_1', request_id: 'req_1', status: 'queued', model_id: MODEL })
const RUN = { body: { input: { prompt: 'x' }, sync: false } }

const valid: ProxyOptions = {
  client: new ModelRun({ apiKey: API_KEY, baseUrl: BASE_URL }),
  models: [MODEL],
  secret: PROXY_SECRET,
  authorize: () => ({ user: 'anna' }),
}

/** What a program without types may pass. */
const createUnchecked = (changes: object) => createProxy({ ...valid, ...changes } as ProxyOptions)

test.each<[string, object, RegExp]>([
  ['without `authorize`: it would be open', { authorize: undefined }, /needs `authorize`.*at your cost/],
  ['with an `authorize` that is not a function', { authorize: true }, /`authorize`, a function/],
  ['open to everybody, and with `authorize`', { dangerouslyAllowAnyone: true }, /not both/],
  ['open to everybody without a budget', { authorize: undefined, dangerouslyAllowAnyone: true }, /budget/],
  ['without a secret', { secret: undefined }, /`secret`.*openssl/],
  ['with a short secret', { secret: 'short' }, /32/],
  ['without models', { models: undefined }, /`models`/],
  ['with an empty list of models', { models: [] }, /`models`/],
  ['with a pattern of models', { models: '*' }, /`models`/],
  ['without a client', { client: undefined }, /`client`/],
  ['with a key in place of a client', { client: API_KEY }, /`client`/],
  ['with every origin', { allowedOrigins: ['*'] }, /without wildcard/],
  ['with every extension', { allowedOrigins: ['chrome-extension://*'] }, /without wildcard/],
  ['with a host that has a scheme', { allowedHosts: ['https://app.example.com'] }, /one host/],
  ['with every host', { allowedHosts: ['*.example.com'] }, /without wildcard/],
  ['with an origin that has a path', { allowedOrigins: ['https://a.example.com/'] }, /one origin/],
  ['with a path that has a query', { basePath: '/api?x' }, /`basePath`/],
  ['with a budget that is not a number', { budget: { credits: Number.NaN } }, /`credits` of `budget`/],
  ['with a negative budget', { budget: { credits: -1 } }, /`credits` of `budget`/],
  ['with a budget without credits', { budget: {} }, /`credits` of `budget`/],
  ['with a window of no time', { budget: { credits: 1, windowMs: 0 } }, /`windowMs` of `budget`/],
  ['with a negative limit of a run', { maxCredits: -1 }, /`maxCredits`/],
])('a proxy is not created %s', (_, changes, message) => {
  expect(() => createUnchecked(changes)).toThrow(ConfigurationError)
  expect(() => createUnchecked(changes)).toThrow(message)
  expect(() => createUnchecked(changes)).not.toThrow(API_KEY)
})

describe('the user of a request', () => {
  test.each([undefined, null, false, {}, { user: undefined }, { user: null }, { user: '' }])(
    'has no user when `authorize` gives %j: 401, and the body is not read',
    async (identity) => {
      const authorize = () => identity as undefined
      const { proxy, service } = createTestProxy([QUEUED], { authorize })
      const body = new ReadableStream({ pull: () => expect.unreachable() }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
      const init = { method: 'POST', body, headers, duplex: 'half' }
      const response = await proxy.handle(new Request(`https://app.example.com/api/modelrun${RUN_PATH}`, init))
      const error = { code: 'UNAUTHORIZED', message: 'Sign in first.' }
      expect([response.status, await response.json()]).toEqual([401, { error }])
      expect(service.received).toEqual([])
    },
  )

  test.each<[string, () => unknown]>([
    ['throws', () => expect.unreachable()],
    ['rejects', () => Promise.reject(new Error('the database at db.internal is down'))],
    ['gives a number', () => ({ user: 7 })],
    ['gives no object', () => 'anna'],
    ['gives a response', () => new Response(null, { status: 403 })],
    ['gives a misspelt user', () => ({ usr: 'anna' })],
    ['gives misspelt credits', () => ({ user: 'anna', credit: 3 })],
    ['gives credits that are not a number', () => ({ user: 'anna', credits: Number.NaN })],
    ['gives credits where there is no budget', () => ({ user: 'anna', credits: 5 })],
  ])('is not known when `authorize` %s: nothing is run, and the operator gets to know', async (_, authorize) => {
    const { send, service, errors } = createTestProxy([QUEUED], { authorize: authorize as () => undefined })
    const { status, headers, text } = await send(`POST ${RUN_PATH}`, RUN)
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(text).not.toContain('internal')
    expect(errors).toHaveLength(1)
    expect(service.received).toEqual([])
  })

  test('is found by the request that the framework handed over', async () => {
    const authorize = vi.fn(() => ({ user: 'anna' }))
    const { proxy } = createTestProxy([QUEUED], { authorize })
    const request = new Request('https://app.example.com/api/modelrun/v1/jobs/x')
    await proxy.handle(request)
    expect(authorize).toHaveBeenCalledWith(request, { raw: request })
  })

  test('is one for all where everybody may run models, as far as the budget goes', async () => {
    const open = { authorize: undefined, dangerouslyAllowAnyone: true, budget: { credits: Number.POSITIVE_INFINITY } }
    const { send } = createTestProxy([json(200, {}), QUEUED], open)
    await expect(send('GET /v1/jobs/x', { user: null })).resolves.toMatchObject({ status: 404 })
  })
})

describe('what a page gets', () => {
  test('is the error body of the service, which no cache and no other origin may have', async () => {
    const { send } = createTestProxy([])
    const { status, body, headers } = await send('GET /v1/keys')
    expect([status, body]).toEqual([404, { error: { code: 'NOT_FOUND', message: expect.any(String) } }])
    expect(Object.fromEntries(headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each(['PUT', 'HEAD', 'constructor'])('is a 405 with the methods of the path for %s', async (method) => {
    const { status, headers } = await createTestProxy([]).send(`${method} /v1/jobs/a`)
    expect([status, headers.get('allow')]).toEqual([405, 'GET, DELETE'])
  })

  const PATHS = [
    '',
    '/',
    '/v1',
    '/v1/',
    '/v2/models',
    '/V1/models',
    '/v1/models//',
    '/v1/models/%zz',
    '/v1/models/lumen/%61urora',
  ]
  const JOB_PATHS = ['/v1/jobs', '/v1/jobs/', '/v1/jobs/a/b', '/v1/jobs/a//', '/files/job/0.png']
  test.each<[string, number]>([
    ['GET /v1/models/', 200],
    ['GET /v1/models/lumen%2faurora', 200],
    ['GET /v1/models/lumen/aurora', 200],
    ['GET /v1/models/lumen/run', 200],
    ['POST /v1/models/lumen%2faurora/run/', 202],
    ['POST /v1/models/lumen/aurora/run', 202],
    ...[...PATHS, ...JOB_PATHS].map((path): [string, number] => [`GET ${path}`, 404]),
  ])('is at each path of section 4, an id with a slash in either form: %s is a %i', async (target, status) => {
    const step: Step = async (request) => await (request.method === 'GET' ? model() : QUEUED)(request)
    const { send } = createTestProxy([step], { models: ['lumen/aurora', 'lumen/run'] })
    const response = await send(target, target.startsWith('POST') ? RUN : {})
    expect(response.status).toBe(status)
    expect(response.text.includes('no such job')).toBe(false)
  })

  test('is a 404 outside of the path of the proxy', async () => {
    const { proxy } = createTestProxy([], { basePath: '/ai/' })
    const paths = ['/ai/v1/jobs/x', '/aiv1/jobs/x', '/v1/jobs/x', '/x/ai/v1/jobs/x']
    const requests = paths.map(
      (path) => new Request(`https://app.example.com${path}`, { headers: { 'x-user': 'anna' } }),
    )
    const responses = await Promise.all(requests.map((request) => proxy.handle(request)))
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    const texts = await Promise.all(responses.map((response) => response.text()))
    expect(texts.map((text) => text.includes('no such job'))).toEqual([true, false, false, false])
  })

  test('is a failure without its reason, whatever fails', async () => {
    const client = { models: { run: () => expect.unreachable() }, jobs: {} } as unknown as ProxyOptions['client']
    const { send, errors } = createTestProxy([], { client })
    const { status, headers, text } = await send(`POST ${RUN_PATH}`, RUN)
    // What failed may have come after the run was sent.
    expect([status, headers.get('retry-after')]).toEqual([502, null])
    expect(text).not.toContain('unreachable')
    expect(errors).toHaveLength(1)
  })

  test('comes also when the log of the operator fails', async () => {
    const onError = () => expect.unreachable()
    const { send } = createTestProxy([errorResponse(401, 'UNAUTHORIZED')], { onError })
    await expect(send(`POST ${RUN_PATH}`, RUN)).resolves.toMatchObject({ status: 503 })
  })

  test('keeps a serverless function alive where there is a way to', async () => {
    const { proxy } = createTestProxy([QUEUED])
    const works: Promise<unknown>[] = []
    const request = new Request(`https://app.example.com/api/modelrun${RUN_PATH}`, { method: 'POST' })
    const response = await proxy.handle(request, { waitUntil: (work) => works.push(work) })
    expect(works).toHaveLength(1)
    await expect(works[0]).resolves.toBe(response)
    const waitUntil = () => expect.unreachable('it was taken from its context')
    const again = createTestProxy([QUEUED])
    expect((await again.proxy.handle(new Request(request), { waitUntil })).status).toBe(response.status)
    expect(again.errors).toHaveLength(1)
  })

  test('by default the operator reads failures in the console', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { send } = createTestProxy([errorResponse(401, 'UNAUTHORIZED')], { onError: undefined })
    await send(`POST ${RUN_PATH}`, RUN)
    const line = `POST /api/modelrun${RUN_PATH}: AuthenticationError: `
    expect(log.mock.calls).toEqual([[expect.stringContaining(line)]])
  })
})
