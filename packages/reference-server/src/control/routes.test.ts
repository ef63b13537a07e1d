import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { responseOf } from '../../test/response-of.ts'
import { createReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'
import { CONTROL_ROUTES } from './routes.ts'

const MODEL = 'aurora-image'

function setUp(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response(), ...options })
  return { server, caller: apiCaller(server) }
}

describe('POST /_reference/keys', () => {
  it('makes a key with an account of its own', async () => {
    const { server, caller } = setUp()
    const body = { live: true, permissions: ['models:read'], credits: 5, allow_ips: ['10.0.0.0/8'] }
    const response = await caller.post('/_reference/keys', body)
    expect(response).toMatchObject({ status: 200, body: { key: expect.stringMatching(/^sk_live_/) } })
    const key = String(response.body.key)
    expect(server.credits(key)).toBe(5)
    expect((await apiCaller(server, key).get('/v1/models')).status).toBe(403)
    const other = await caller.post('/_reference/keys', {})
    expect((await apiCaller(server, String(other.body.key)).get('/v1/models')).status).toBe(200)
  })

  it.each([
    [{ permissions: ['models:write'] }, '/permissions/0 must be "models:read" or'],
    [{ credits: -1 }, '/credits must be 0 or more'],
    [{ allow_ips: ['home'] }, 'home'],
    [{ allow_ips: 'home' }, '/allow_ips must be an array'],
    [{ allowIps: [] }, 'members that do not exist: "allowIps"'],
  ])('responds with 400 VALIDATION_ERROR to %j', async (body, message) => {
    const response = await setUp().caller.post('/_reference/keys', body)
    expect(response.status).toBe(400)
    expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) })
  })
})

describe('POST /_reference/scripts', () => {
  it('says what the next runs do, for the first key or another', async () => {
    const { server, caller } = setUp()
    const { key } = server.createKey()
    const outcomes = [{ result: 'failed', after_ms: 0, error: { code: 'CONTENT_POLICY', message: 'No.' } }]
    expect((await caller.post('/_reference/scripts', { model: MODEL, outcomes })).body).toEqual({ waiting: 1 })
    const error = { code: 'CONTENT_POLICY', message: 'No.' }
    expect((await caller.run(MODEL)).body).toMatchObject({ status: 'failed', error })
    await caller.post('/_reference/scripts', { model: MODEL, outcomes, key })
    expect((await caller.run(MODEL, { sync: false })).body.status).toBe('queued')
    expect((await apiCaller(server, key).run(MODEL)).body).toMatchObject({ status: 'failed', error })
  })

  it.each([
    [{ model: 'none', outcomes: [] }, 400, 'no model "none"'],
    [{ model: MODEL, outcomes: [{ result: 'explode' }] }, 400, '/outcomes/0/result must be "succeeded" or'],
    [
      { model: MODEL, outcomes: [{ result: 'hang', after_polls: 1.5 }] },
      400,
      '/outcomes/0/after_polls must be an integer',
    ],
    [{ model: MODEL, outcomes: [{ result: 'failed', webhook: { deliveries: 1_000 } }] }, 400, '100 or less'],
    [{ model: MODEL, outcomes: [], key: 'sk_test_none' }, 404, 'did not make that API key'],
    [{ outcomes: [] }, 400, '/model is missing'],
  ])('rejects %j with %i', async (body, status, message) => {
    const response = await setUp().caller.post('/_reference/scripts', body)
    expect([response.status, errorOf(response).message]).toEqual([status, expect.stringContaining(message)])
  })
})

it('responds with 400 to outcomes that are nested too deeply for a response', async () => {
  const { server, caller } = setUp()
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const outcome = `{"result":"succeeded","output":{"type":"image","items":[],"deep":${deep}}}`
  const response = await server.fetch('/_reference/scripts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"model":"${MODEL}","outcomes":[${outcome}]}`,
  })
  expect(response.status).toBe(400)
  expect((await caller.post('/_reference/scripts', { model: MODEL, outcomes: [] })).body).toEqual({ waiting: 0 })
})

describe('POST /_reference/clock', () => {
  it('moves time, and is not waited for by time itself', async () => {
    const { server, caller } = setUp()
    const start = server.clock.now()
    const { body } = await caller.run(MODEL, { sync: false })
    const before = performance.now()
    const response = await caller.post('/_reference/clock', { advance_ms: 60_000 })
    expect(performance.now() - before).toBeLessThan(200)
    expect(response).toMatchObject({ status: 200, body: { now_ms: start + 60_000 } })
    expect(await caller.status(body.job_id)).toBe('succeeded')
  })

  it('responds with 409 CONFLICT where time passes by itself, and 400 to bad milliseconds', async () => {
    const system = await setUp({ clock: 'system' }).caller.post('/_reference/clock', { advance_ms: 1 })
    expect([system.status, errorOf(system)]).toEqual([
      409,
      { code: 'CONFLICT', message: expect.stringContaining("'manual'") },
    ])
    for (const advance_ms of [-1, '1', null, 1e300]) {
      expect((await setUp().caller.post('/_reference/clock', { advance_ms })).status).toBe(400)
    }
  })
})

describe('POST /_reference/reset', () => {
  it('forgets all, or what belongs to one key', async () => {
    const { server, caller } = setUp()
    const { key } = server.createKey()
    const [mine, other] = [
      await caller.run(MODEL, { sync: false }),
      await apiCaller(server, key).run(MODEL, { sync: false }),
    ]
    await server.clock.advance(60_000)
    expect((await caller.post('/_reference/reset', { key })).body).toEqual({ reset: 'account' })
    expect([server.credits(), server.credits(key)]).toEqual([9_996, 10_000])
    expect(await caller.status(mine.body.job_id)).toBe('succeeded')
    expect(await apiCaller(server, key).status(other.body.job_id)).toBeUndefined()
    expect((await caller.post('/_reference/reset', {})).body).toEqual({ reset: 'all' })
    expect(await caller.status(mine.body.job_id)).toBeUndefined()
    expect((await caller.post('/_reference/reset', { key: 'sk_test_none' })).status).toBe(404)
  })
})

describe('GET /_reference/deliveries', () => {
  it('lists the finished deliveries of a key', async () => {
    const { server, caller } = setUp()
    const { key } = server.createKey()
    await apiCaller(server, key).run(MODEL, { webhook_url: 'https://receiver.test/' })
    await server.clock.advance(60_000)
    expect((await caller.get('/_reference/deliveries')).body).toEqual({ deliveries: [] })
    const { body } = await caller.get(`/_reference/deliveries?key=${key}`)
    const [{ attemptedAt, finishedAt, ...rest } = {}] = server.webhooks.deliveries(key)
    expect(body).toEqual({ deliveries: [{ ...rest, attempted_at_ms: attemptedAt, finished_at_ms: finishedAt }] })
    expect(body.deliveries).toHaveLength(1)
    expect((await caller.get('/_reference/deliveries?key=none')).status).toBe(404)
  })
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

  it('responds with 404 to an unknown path and lists what there is, 405 to a wrong method', async () => {
    const { caller } = setUp()
    for (const path of ['/_reference/key', '/_reference/keys/x']) {
      const response = await caller.get(path)
      expect([response.status, errorOf(response).message]).toEqual([
        404,
        expect.stringContaining('POST /_reference/keys, GET'),
      ])
    }
    const wrong = await caller.delete('/_reference/keys')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
    expect((await caller.delete('/_reference/deliveries')).headers.get('allow')).toBe('GET, HEAD')
  })
})

it('lists its calls at GET /_reference, with what each takes and gives', async () => {
  const response = await createReferenceServer().fetch('/_reference')
  const { calls } = await response.json()
  expect(calls).toHaveLength(CONTROL_ROUTES.length)
  expect(calls).toContainEqual({
    call: 'POST /_reference/clock',
    what: 'Move time on; only with the clock manual or auto, or while it is paused',
    takes: '{ advance_ms }',
    gives: '{ now_ms }',
  })
  expect(calls).toContainEqual(
    expect.objectContaining({ call: 'DELETE /_reference/faults', takes: '?id=&key=', gives: '{ removed }' }),
  )
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
  const server = createReferenceServer({ clock: 'manual' })
  const caller = apiCaller(server)
  const runningId = String((await caller.run(MODEL, { sync: false })).body.job_id)
  const post = (path: string, init: RequestInit = {}) => server.fetch(path, { method: 'POST', ...init })
  expect((await post(`/_reference/jobs/${runningId}/complete`)).status).toBe(200)
  expect(await caller.status(runningId)).toBe('succeeded')
  expect(await (await post('/_reference/keys')).json()).toEqual({ key: expect.stringMatching(/^sk_test_/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const moved = await post('/_reference/clock', { headers, body: '{"advance_ms":1000}' })
  expect(await moved.json()).toMatchObject({ now_ms: server.clock.now() })
  expect(await (await post('/_reference/reset')).json()).toEqual({ reset: 'all' })
  expect(await caller.status(runningId)).toBeUndefined()
  const missing = await (await post('/_reference/clock')).json()
  expect(missing.error.message).toBe('Invalid body: /advance_ms is missing; it must be a number.')
})
