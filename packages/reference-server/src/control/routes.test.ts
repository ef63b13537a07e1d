import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, MODEL } from '../../test/api-caller.ts'
import { responseOf } from '../../test/response-of.ts'
import { createReferenceServer } from '../reference-server.ts'

function setUp() {
  const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
  const { key } = server.createKey({ credits: 10 })
  return { server, caller: apiCaller(server), key, other: apiCaller(server, key) }
}

describe('keys over the control API', () => {
  it('are created with an account of their own, and read', async () => {
    const { server, caller } = setUp()
    const limits = { live: true, permissions: ['models:run'], credits: 10, allow_ips: ['127.0.0.1'] }
    const { key } = (await caller.post('/_reference/keys', limits)).body
    expect((await apiCaller(server, String(key)).run(MODEL, { sync: false })).status).toBe(202)
    const credits = { left: 10, available: 6 }
    expect((await caller.get(`/_reference/keys?key=${key}`)).body).toEqual({ ...limits, key, revoked: false, credits })
    expect(key).toMatch(/^sk_live_/)
  })

  it('are limited and revoked', async () => {
    const { caller, key, other } = setUp()
    const limit = (limits: object) => caller.post('/_reference/keys/limit', { key, ...limits })
    expect((await limit({ allow_ips: ['10.0.0.0/8'] })).body).toMatchObject({ allow_ips: ['10.0.0.0/8'] })
    expect((await caller.post('/_reference/keys/revoke', { key })).body).toMatchObject({ revoked: true })
    expect((await other.get('/v1/models')).status).toBe(401)
  })
})

describe('the other calls of the control API', () => {
  it('script the next runs of the first key or of another', async () => {
    const { caller, key, other } = setUp()
    const error = { code: 'CONTENT_POLICY', message: 'No.' }
    const outcomes = [{ result: 'failed', after_ms: 0, error }]
    expect((await caller.post('/_reference/scripts', { model: MODEL, outcomes })).body).toEqual({ waiting: 1 })
    expect((await caller.run(MODEL)).body).toMatchObject({ status: 'failed', error })
    await caller.post('/_reference/scripts', { model: MODEL, outcomes, key })
    expect((await caller.run(MODEL, { sync: false })).body.status).toBe('queued')
    expect((await other.run(MODEL)).body).toMatchObject({ status: 'failed', error })
  })

  it('forget all, or what belongs to one key', async () => {
    const { server, caller, key, other } = setUp()
    const first = (await caller.run(MODEL, { sync: false })).body.job_id
    const second = (await other.run(MODEL, { sync: false })).body.job_id
    await server.clock.advance(60_000)
    expect((await caller.post('/_reference/reset', { key })).body).toEqual({ reset: 'account' })
    expect([server.credits(), server.credits(key)]).toEqual([9_996, 10])
    expect([await caller.status(first), await other.status(second)]).toEqual(['succeeded', undefined])
    expect((await caller.post('/_reference/reset', {})).body).toEqual({ reset: 'all' })
    expect(await caller.status(first)).toBeUndefined()
  })

  it('read, complete and fail jobs of any account', async () => {
    const { caller, other } = setUp()
    const output = { type: 'image', items: [{ type: 'image', url: 'https://a.test/1.png' }] }
    const error = { code: 'NSFW', message: 'Not this.' }
    const ids = [0, 1].map(async () => (await other.run(MODEL, { sync: false })).body.job_id)
    const [first, second] = await Promise.all(ids)
    const shown = { job_id: first, model_id: MODEL, status: 'queued', input: { prompt: 'a red fox' } }
    expect((await caller.get(`/_reference/jobs/${first}`)).body).toMatchObject(shown)
    await caller.post(`/_reference/jobs/${first}/complete`, { output })
    await caller.post(`/_reference/jobs/${second}/fail`, error)
    expect((await other.get(`/v1/jobs/${first}`)).body).toEqual({ data: { status: 'succeeded', output } })
    expect((await other.get(`/v1/jobs/${second}`)).body).toEqual({ data: { status: 'failed', error } })
    const again = await caller.post(`/_reference/jobs/${second}/complete`, {})
    expect([again.status, errorOf(again).message]).toEqual([409, expect.stringContaining('already ended')])
  })

  it('have every model', async () => {
    const { body } = await setUp().caller.get('/_reference/models')
    expect(body.models).toMatchObject([{ id: MODEL, input_schema: { type: 'object' } }, ...Array(12).fill({})])
  })

  it('add, list and remove the faults of an account', async () => {
    const { caller, key, other } = setUp()
    const fault = { kind: 'server-error', route: 'listModels', times: 2 }
    expect((await caller.post('/_reference/faults', { ...fault, key })).body).toEqual({ id: 'fault_1' })
    expect([(await caller.get('/v1/models')).status, (await other.get('/v1/models')).status]).toEqual([200, 500])
    expect((await caller.get(`/_reference/faults?key=${key}`)).body).toEqual({
      faults: [{ id: 'fault_1', fault, used: 1, unused: true }],
    })
    expect((await caller.get('/_reference/faults')).body).toEqual({ faults: [] })
    expect((await caller.delete(`/_reference/faults?id=fault_1&key=${key}`)).body).toEqual({ removed: 1 })
    await caller.post('/_reference/faults', { kind: 'reset' })
    await caller.post('/_reference/faults', { kind: 'hang' })
    expect((await caller.delete('/_reference/faults')).body).toEqual({ removed: 2 })
    expect([(await caller.get('/v1/models')).status, (await other.get('/v1/models')).status]).toEqual([200, 200])
  })
})

const deep = { type: 'image', items: [], more: JSON.parse('['.repeat(70) + ']'.repeat(70)) }

it.each<[call: string, body: object | undefined, error: string]>([
  ['POST keys', { permissions: ['models:write'] }, '400 /permissions/0 must be "models:read" or'],
  ['POST keys', { credits: -1 }, '400 /credits must be 0 or more'],
  [
    'POST keys',
    { live: 'yes', credits: 1.5 },
    '400 /live must be a boolean, not a string. /credits must be an integer, not',
  ],
  [
    'POST keys',
    { live: null, permissions: {} },
    '400 /live must be a boolean, not null. /permissions must be an array, not',
  ],
  [
    'POST keys',
    Object.fromEntries([...'abcdefg'].map((name) => [name, 1])),
    '400 "a", "b", "c", "d", "e", and others.',
  ],
  ['POST keys', { allow_ips: ['home'] }, '400 Invalid body: /allow_ips/0 is not valid (neither an IP'],
  ['POST keys', { allow_ips: 'home' }, '400 /allow_ips must be an array'],
  ['POST keys', { allowIps: [] }, '400 members that do not exist: "allowIps"'],
  ['POST keys/limit', { key: 'sk_test_none' }, '404 did not make that API key'],
  ['POST keys/revoke', { key: 'sk_test_none' }, '404 did not make that API key'],
  ['GET keys?key=sk_test_none', undefined, '404 did not make that API key'],
  ['POST scripts', { model: 'none', outcomes: [] }, '400 no model "none"'],
  ['POST scripts', { outcomes: [] }, '400 /model is missing'],
  ['POST scripts', { model: MODEL, outcomes: [{ result: 'explode' }] }, '400 /outcomes/0/result must be "succeeded"'],
  ['POST scripts', { model: MODEL, outcomes: [{ result: 'hang', after_polls: 1.5 }] }, '400 must be an integer'],
  ['POST scripts', { model: MODEL, outcomes: [{ result: 'failed', webhook: { deliveries: 1e3 } }] }, '400 or less'],
  ['POST scripts', { model: MODEL, outcomes: [{ result: 'succeeded', output: deep }] }, '400 nests deeper'],
  [
    'POST scripts',
    { model: MODEL, outcomes: [{ result: 'succeeded', error: { code: 'X', message: '' } }] },
    '400 /0 is not valid (error goes with failed',
  ],
  ['POST scripts', { model: MODEL, outcomes: [], key: 'sk_test_none' }, '404 did not make that API key'],
  ['POST faults', { kind: 'rest' }, '400 Invalid fault: /kind must be "reset" or '],
  ['POST faults', { kind: 'reset', key: 'sk_test_none' }, '404 did not make that API key'],
  ['DELETE faults?id=fault_7', undefined, '404 This account has no fault "fault_7".'],
  ['POST reset', { key: 'sk_test_none' }, '404 did not make that API key'],
  ['POST webhooks', { deliveries: -1 }, '400 /deliveries must be 0 or more'],
  ['POST webhooks', { key: 'sk_test_none' }, '404 did not make that API key'],
  // What is ignored could mean more than it should: all faults, all accounts.
  ['DELETE faults?fault=fault_1', undefined, '400 no parameter "fault". There are: id, key.'],
  ['POST reset?key=sk_test_none', {}, '400 no parameter "key". There are none.'],
  ['GET journal?jobid=job_1', undefined, '400 Did you mean job_id?'],
  ['GET deliveries?key=none', undefined, '404 did not make that API key'],
  ['POST deliveries/next', { key: 'sk_test_none' }, '404 did not make that API key'],
  ['POST deliveries/next', { timeout_ms: '5' }, '400 /timeout_ms must be'],
  ['POST deliveries/next', { timeout_ms: 600_001 }, '400 /timeout_ms must be'],
  ['GET jobs/job_none', undefined, '404 This job does not exist.'],
  ['GET jobs/job_none/exchanges', undefined, '404 This job does not exist.'],
  ['POST jobs/job_none/complete', { output: { type: 'image' } }, '400 /output/items is missing'],
  ['POST clock', undefined, '400 Invalid body: /advance_ms is missing; it must be a number.'],
  ['POST clock', { advance_ms: -1 }, '400 /advance_ms must be 0 or more'],
  ['POST clock', { advance_ms: 1e300 }, '400 ms'],
  ['GET journal?kind=requests', undefined, '400 kind must be one of'],
  ['GET journal?key=sk_test_none', undefined, '404 did not make that API key'],
  ['GET report?key=sk_test_none', undefined, '404 did not make that API key'],
  ['GET story/job_1', undefined, '404 knows nothing of a job'],
  ['POST runs', { input: {} }, '400 /model is missing'],
  ['GET key', undefined, '404 It has: POST /_reference/keys, GET'],
  ['GET keys/x', undefined, '404 GET /_reference/openapi.json says what they take'],
])('rejects %s %j with %s', async (call, body, error) => {
  const [method = '', path] = call.split(' ')
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await setUp().caller.call(method, `/_reference/${path}`, init)
  const { code, message } = errorOf(response)
  const codes: Record<number, string> = { 400: 'VALIDATION_ERROR', 404: 'NOT_FOUND', 409: 'CONFLICT' }
  const [status] = error.split(' ', 1)
  expect([String(response.status), code]).toEqual([status, codes[response.status]])
  expect(`${status} ${message}`).toContain(error.slice(4))
})

it('is a 409 to move time that passes by itself', async () => {
  const response = await apiCaller(createReferenceServer()).post('/_reference/clock', { advance_ms: 1 })
  const error = { code: 'CONFLICT', message: expect.stringContaining("'manual'") }
  expect([response.status, errorOf(response)]).toEqual([409, error])
})

it.each([
  ['DELETE', 'keys', 'POST, GET, HEAD'],
  ['DELETE', 'deliveries', 'GET, HEAD'],
  ['DELETE', 'clock', 'GET, HEAD, POST'],
  // A page could make these without a script.
  ['GET', 'deliveries/next', 'POST'],
  ['OPTIONS', 'deliveries/next', 'POST'],
])('responds to %s %s with 405, and the methods that there are', async (method, path, allow) => {
  const response = await setUp().caller.call(method, `/_reference/${path}`)
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
})

describe('control API', () => {
  it('needs its token from other machines, and from clients whose IP address is unknown', async () => {
    const { server } = setUp()
    const ask = async (ip: string | undefined, token?: string) => {
      const headers = token === undefined ? {} : { 'x-reference-token': token }
      const request = new Request('http://localhost/_reference/deliveries', { headers })
      return responseOf(await server.transport.handle(request, { transport: 'node', ip })).status
    }
    for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) expect(await ask(ip)).toBe(200)
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1', 'unknown', undefined]) {
      expect(await ask(ip)).toBe(403)
      expect(await ask(ip, 'guess')).toBe(403)
      expect(await ask(ip, server.controlToken)).toBe(200)
    }
  })

  it('has a token that does not come from the seed', () => {
    const tokens = [setUp().server.controlToken, setUp().server.controlToken]
    expect(tokens[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(tokens[0]).not.toBe(tokens[1])
  })

  it('gives its OpenAPI document at the URL of the server', async () => {
    const server = createReferenceServer({ baseUrl: 'https://gateway.test/inference' })
    const response = await server.fetch('https://gateway.test/inference/_reference/openapi.json')
    expect(await response.json()).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: 'https://gateway.test/inference' }],
      paths: { '/_reference/clock': { post: { operationId: 'advanceClock' } } },
    })
  })

  it('takes a POST without a body, a content type or both, as curl sends it', async () => {
    const { server, caller } = setUp()
    const runningId = String((await caller.run(MODEL, { sync: false })).body.job_id)
    const post = (path: string, init: RequestInit = {}) => server.fetch(path, { method: 'POST', ...init })
    expect((await post(`/_reference/jobs/${runningId}/complete`)).status).toBe(200)
    expect(await caller.status(runningId)).toBe('succeeded')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const moved = await post('/_reference/clock', { headers, body: '{"advance_ms":1000}' })
    expect(await moved.json()).toMatchObject({ now_ms: server.clock.now() })
    expect(await (await post('/_reference/reset')).json()).toEqual({ reset: 'all' })
  })

  it('keeps reads of the dashboard out of the journal, unlike those of programs', async () => {
    const { server } = setUp()
    const headers = { 'sec-fetch-site': 'same-origin' }
    await server.fetch('/_reference/models', { headers })
    expect(server.journal.entries()).toEqual([])
    await server.fetch('/_reference/models')
    expect(server.journal.entries().map(({ kind }) => kind)).toEqual(['request'])
  })
})
