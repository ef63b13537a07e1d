import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, MODEL, openServer } from '../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

const setUp = (options: ReferenceServerOptions = {}) => openServer({ clock: 'auto', ...options })

describe('run request', () => {
  const input = { prompt: 'x' }

  it.each([
    [{}, '/input is missing'],
    [{ input: null }, '/input must be an object, not null'],
    [{ input, sync: 'false' }, '/sync must be a boolean, not a string'],
    [{ input, webhook_url: 'receiver' }, '/webhook_url must be an http or https URL'],
    [{ input, webhook_url: 'javascript:alert(1)' }, '/webhook_url must be an http or https URL'],
    [{ input, webhook_url: 'https://user:secret@app.test/' }, '/webhook_url must have no user name'],
    [{ input, webhook: 'https://a.test' }, 'members that do not exist: "webhook"'],
    [[], 'Invalid body: it must be an object, not an array'],
    [null, 'it must be an object, not null'],
  ])('responds with 400 VALIDATION_ERROR to the body %j (section 4.3)', async (body, message) => {
    const { server, caller } = setUp()
    const response = await caller.post(`/v1/models/${MODEL}/run`, body)
    expect(response.status).toBe(400)
    expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) })
    expect(server.credits()).toBe(10_000)
  })

  it('responds with 415 to another content type (section 4)', async () => {
    const { server } = setUp()
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${server.apiKey}` }
    const init = { method: 'POST', body: JSON.stringify({ input }), headers }
    expect((await server.fetch(`/v1/models/${MODEL}/run`, init)).status).toBe(415)
  })

  it('reports one mistake of several in a fixed order: key, permission, method, body, webhook, model, input, credits', async () => {
    const { server } = setUp({ assumptions: { webhookNeedsManage: true } })
    const { key } = server.createKey({ permissions: ['models:run'], credits: 0 })
    const caller = apiCaller(server, key)
    const wrong = { input: { colour: 'red' } }
    const webhook_url = 'https://receiver.test'
    const without = server.createKey({ permissions: [] }).key
    const responses = [
      await apiCaller(server, 'unknown').post('/v1/models/none/run', 'x'),
      await apiCaller(server, without).post('/v1/models/none/run', 'x'),
      await caller.post('/v1/models', 'x'),
      await caller.post('/v1/models/none/run', { ...wrong, webhook_url, sync: 'no' }),
      await caller.post('/v1/models/none/run', { ...wrong, webhook_url }),
      await caller.post('/v1/models/none/run', wrong),
      await caller.post(`/v1/models/${MODEL}/run`, wrong),
      await caller.run(MODEL),
    ]
    expect(responses.map(({ status }) => status)).toEqual([401, 403, 405, 400, 403, 404, 400, 402])
  })

  it.each(['/run?sync=false', '/run?webhook_url=https%3A%2F%2Fa.test'])(
    'responds with 400 VALIDATION_ERROR to %s: what a run takes is in its body (section 4.3)',
    async (path) => {
      const { server, caller } = setUp()
      const response = await caller.post(`/v1/models/${MODEL}${path}`, { input })
      expect([response.status, errorOf(response).code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(server.credits()).toBe(10_000)
    },
  )

  it.each([
    [MODEL, {}, '/input/prompt:'],
    [MODEL, { prompt: 'x', num_images: 5 }, '/input/num_images:'],
    [MODEL, { prompt: 'x', image_size: 'huge' }, '/input/image_size:'],
    [MODEL, { prompt: 'x', colour: 'red' }, '/input/colour:'],
    ['pixelwright/cutout', { image_url: './photo.png' }, '/input/image_url:'],
  ])('responds with VALIDATION_ERROR to a run of %s with the input %j (sections 2.3 and 8)', async (model, bad, at) => {
    const { server, caller } = setUp()
    const response = await caller.run(model, { input: bad })
    expect([response.status, errorOf(response).code, server.credits()]).toEqual([400, 'VALIDATION_ERROR', 10_000])
    expect(errorOf(response).message).toContain(at)
    expect(errorOf(response).message).toContain(`GET /v1/models/${encodeURIComponent(model)}`)
  })

  it('fills defaults in (section 2.3)', async () => {
    const { server, caller } = setUp()
    const { body } = await caller.run(MODEL)
    expect(server.job(String(body.job_id)).input).toEqual({
      prompt: 'a red fox',
      image_size: 'square_hd',
      num_images: 1,
    })
  })
})

const PRICE = 4

describe('credits', () => {
  it('too few of them leave the script to the next run; a cancel and a failure give them back (sections 1 and 4.5)', async () => {
    const { server } = setUp()
    const { key } = server.createKey({ credits: PRICE })
    const caller = apiCaller(server, key)
    server.script(MODEL, [{ result: 'hang' }, { result: 'failed', after_ms: 1 }, { result: 'failed' }], key)
    const hanging = await caller.run(MODEL, { sync: false })
    const { status, body } = await caller.run(MODEL)
    const message = 'A run of aurora-image costs 4 credits; 0 are left for new runs.'
    expect([status, body]).toEqual([402, { error: { code: 'INSUFFICIENT_CREDITS', message } }])
    await caller.delete(`/v1/jobs/${String(hanging.body.job_id)}`)
    for (const _ of ['after the cancel', 'after the failure'])
      expect((await caller.run(MODEL)).body.status).toBe('failed')
  })

  it('cannot be overspent by runs at the same time', async () => {
    const { server, caller } = setUp({ credits: 3 * PRICE })
    const responses = await Promise.all(Array.from({ length: 10 }, () => caller.run(MODEL)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 200, 200, 402, 402, 402, 402, 402, 402, 402])
    expect(server.credits()).toBe(0)
  })
})
