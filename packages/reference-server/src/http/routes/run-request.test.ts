import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../../options.ts'
import { createReferenceServer } from '../../reference-server.ts'

const MODEL = 'aurora-image'

function setUp(options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'auto', ...options })
  return { server, caller: apiCaller(server) }
}

function rejectedWith(status: number) {
  const rejection = { status, code: 'VALIDATION_ERROR' }
  return { missingParameter: rejection, invalidInput: rejection, unknownParameter: rejection }
}

describe('run request', () => {
  const input = { prompt: 'x' }

  it.each([
    [{}, '/input is missing'],
    [{ input: null }, '/input must be an object, not null'],
    [{ input: [] }, '/input must be an object, not an array'],
    [{ input: 'x' }, '/input must be an object, not a string'],
    [{ input, sync: 'false' }, '/sync must be a boolean, not a string'],
    [{ input, webhook_url: 'receiver' }, '/webhook_url must be an http or https URL'],
    [{ input, webhook_url: 'ftp://receiver.test' }, '/webhook_url must be an http or https URL'],
    [{ input, webhook_url: 'javascript:alert(1)' }, '/webhook_url must be an http or https URL'],
    [{ input, webhook_url: 'https://user:secret@app.test/' }, '/webhook_url must be without a user name'],
    [{ input, webhook_url: 'https://user@app.test/' }, '/webhook_url must be without a user name'],
    [{ input, webhook_url: null }, '/webhook_url must be a string, not null'],
    [{ input, sync: null }, '/sync must be a boolean, not null'],
    [{ input, webhook: 'https://a.test' }, 'members that do not exist: "webhook"'],
    [[], 'It must be an object, not an array'],
    ['text', 'It must be an object, not a string'],
    [null, 'It must be an object, not null'],
  ])('responds with 400 VALIDATION_ERROR to the body %j (section 4.3)', async (body, message) => {
    const { server, caller } = setUp()
    const response = await caller.post(`/v1/models/${MODEL}/run`, body)
    expect(response.status).toBe(400)
    expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(message) })
    expect(server.credits()).toBe(10_000)
  })

  it('responds with 415 to another content type, or takes it when the assumption says so (section 4)', async () => {
    const init = { method: 'POST', body: JSON.stringify({ input }), headers: { 'content-type': 'text/plain' } }
    const statusWith = async (options: ReferenceServerOptions) => {
      const { server } = setUp(options)
      const headers = { ...init.headers, authorization: `Bearer ${server.apiKey}` }
      return (await server.fetch(`/v1/models/${MODEL}/run`, { ...init, headers })).status
    }
    expect(await statusWith({})).toBe(415)
    expect(await statusWith({ assumptions: { rejections: { otherContentType: 'accepted' } } })).toBe(200)
  })

  it('leaves out what the assumptions accept', async () => {
    const accepted = ['unknownMember', 'unknownParameter', 'unknownQueryParameter'] as const
    const rejections = Object.fromEntries(accepted.map((kind) => [kind, 'accepted' as const]))
    const { caller } = setUp({ assumptions: { rejections: { ...rejections, webhookScheme: 'default' } } })
    const body = { input: { ...input, colour: 'red' }, webhook_url: 'ftp://receiver.test', priority: 1 }
    expect(await caller.post(`/v1/models/${MODEL}/run?page=1`, body)).toMatchObject({
      status: 200,
      body: { status: 'completed' },
    })
  })

  it('takes a webhook_url of another scheme like a webhook, and delivers nothing, where that is assumed', async () => {
    const urls: string[] = []
    const deliver = async ({ url }: Request) => {
      urls.push(url)
      return new Response()
    }
    const { server, caller } = setUp({ deliver, assumptions: { rejections: { webhookScheme: 'accepted' } } })
    const response = await caller.run(MODEL, { input, webhook_url: 'ftp://receiver.test' })
    expect(response).toMatchObject({ status: 202, body: { status: 'processing' } })
    await server.clock.advance(60_000)
    expect([await caller.status(response.body.job_id), urls]).toEqual(['succeeded', []])
  })

  it('rejects an input that is null, an array or a text each as assumed', async () => {
    const kinds = { inputNull: null, inputArray: [1], otherInput: 'x' }
    const named = Object.keys(kinds).map((code) => [code, { status: 422, code }])
    const { caller } = setUp({ assumptions: { rejections: Object.fromEntries(named) } })
    for (const [code, wrong] of Object.entries(kinds))
      expect(errorOf(await caller.post(`/v1/models/${MODEL}/run`, { input: wrong })).code).toBe(code)
  })

  it('finds a member of another type before an unknown model where it is rejected like broken JSON', async () => {
    const [broken, missing] = ['BROKEN', 'MISSING'].map((code) => ({ status: 400, code }))
    const rejections = { brokenJson: broken, syncWord: broken, invalidBody: missing, unknownMember: missing }
    const { caller } = setUp({ assumptions: { checkOrder: ['runModel', 'body'], rejections } })
    const code = async (body: object) => errorOf(await caller.post('/v1/models/no-such-model/run', body)).code
    expect(await code({ input, sync: 'false' })).toBe('BROKEN')
    expect(await code({ input, other: 1 })).toBe('NOT_FOUND')
    expect(await code({ sync: false })).toBe('NOT_FOUND')
  })

  it('rejects a webhook_url with http, and an unknown model before a wrong body, where that is assumed', async () => {
    const plain = { input, webhook_url: 'http://receiver.test' }
    const nowhere = '/v1/models/no-such-model/run'
    const assumptions = {
      checkOrder: ['runModel', 'body'],
      rejections: { plainHttpWebhook: { status: 422, code: 'HTTPS_REQUIRED' } },
    } as const
    const { caller } = setUp({ assumptions })
    expect(await caller.run(MODEL, plain)).toMatchObject({ status: 422, body: { error: { code: 'HTTPS_REQUIRED' } } })
    expect(await caller.run(MODEL, { ...plain, webhook_url: 'https://receiver.test' })).toMatchObject({ status: 202 })
    expect(await caller.post(nowhere, {})).toMatchObject({ status: 404 })
    const { caller: open } = setUp()
    expect(await open.run(MODEL, plain)).toMatchObject({ status: 202 })
    expect(await open.post(nowhere, {})).toMatchObject({ status: 400 })
  })

  it('makes a job that fails of an input that is accepted although it is wrong, and charges what is assumed', async () => {
    const rejections = { invalidInput: 'accepted' } as const
    for (const [creditsOfFailedRun, left] of [
      ['none', 10_000],
      ['price', 9_996],
    ] as const) {
      const { server, caller } = setUp({ strict: true, assumptions: { rejections: rejections, creditsOfFailedRun } })
      const response = await caller.run(MODEL, { input: { prompt: 1 } })
      expect(response).toMatchObject({ status: 502, body: { status: 'failed' } })
      expect(server.credits()).toBe(left)
      expect(server.story(String(response.body.job_id))).toContain(
        left === 10_000 ? 'nothing charged' : '4 credits charged',
      )
    }
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

  it('rejects a path where the model takes the URL of a source image, and charges nothing (section 2.3)', async () => {
    for (const status of [400, 422] as const) {
      const { server, caller } = setUp({ assumptions: { rejections: rejectedWith(status) } })
      const response = await caller.run('pixelwright/cutout', { input: { image_url: './photo.png' } })
      expect([response.status, errorOf(response).code]).toEqual([status, 'VALIDATION_ERROR'])
      expect(errorOf(response).message).toContain(
        '/input/image_url: image_url must be an http or https URL, or a data URI such as ' +
          'data:image/png;base64,iVBORw0KGgo=, got "./photo.png".',
      )
      expect(server.credits()).toBe(10_000)
    }
  })

  it.each([
    [{}, '/input/prompt:'],
    [{ prompt: 1 }, '/input/prompt:'],
    [{ prompt: 'x', num_images: 0 }, '/input/num_images:'],
    [{ prompt: 'x', num_images: 5 }, '/input/num_images:'],
    [{ prompt: 'x', num_images: 1.5 }, '/input/num_images:'],
    [{ prompt: 'x', image_size: 'huge' }, '/input/image_size:'],
    [{ prompt: 'x', colour: 'red' }, '/input/colour:'],
  ])('responds with VALIDATION_ERROR to the input %j (sections 2.3 and 8)', async (bad, pointer) => {
    for (const status of [400, 422] as const) {
      const { caller } = setUp({ assumptions: { rejections: rejectedWith(status) } })
      const response = await caller.run(MODEL, { input: bad })
      expect(response.status).toBe(status)
      expect(errorOf(response)).toEqual({ code: 'VALIDATION_ERROR', message: expect.stringContaining(pointer) })
      expect(errorOf(response).message).toContain(`GET /v1/models/${MODEL}`)
    }
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

  it('responds with 404 NOT_FOUND to an unknown model', async () => {
    expect(await setUp().caller.run('no-such-model')).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
  })
})

const PRICE = 4

describe('credits', () => {
  it('are charged once, when the job succeeds (section 1)', async () => {
    const { server, caller } = setUp({ clock: 'manual' })
    const { body } = await caller.run(MODEL, { sync: false })
    expect(server.credits()).toBe(10_000)
    await server.clock.advance(10_000)
    expect(server.credits()).toBe(10_000 - PRICE)
    await caller.status(body.job_id)
    await caller.delete(`/v1/jobs/${String(body.job_id)}`)
    expect(server.credits()).toBe(10_000 - PRICE)
  })

  it('too few of them are a 402 INSUFFICIENT_CREDITS without a job (section 7)', async () => {
    const { caller } = setUp({ credits: PRICE - 1 })
    const response = await caller.run(MODEL)
    expect(response.status).toBe(402)
    expect(errorOf(response)).toEqual({
      code: 'INSUFFICIENT_CREDITS',
      message: 'A run of aurora-image costs 4 credits; 3 are left for new runs.',
    })
  })

  it('too few of them leave the script to the next run', async () => {
    const { server } = setUp()
    const { key } = server.createKey({ credits: PRICE })
    const caller = apiCaller(server, key)
    server.script(MODEL, [{ result: 'hang' }, { result: 'failed', after_ms: 1 }], key)
    const hanging = await caller.run(MODEL, { sync: false })
    expect((await caller.run(MODEL)).status).toBe(402)
    await caller.delete(`/v1/jobs/${String(hanging.body.job_id)}`)
    expect((await caller.run(MODEL)).body.status).toBe('failed')
  })

  it('cannot be overspent by runs at the same time', async () => {
    const { server, caller } = setUp({ credits: 3 * PRICE })
    const responses = await Promise.all(Array.from({ length: 10 }, () => caller.run(MODEL)))
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 200, 200, 402, 402, 402, 402, 402, 402, 402])
    expect(server.credits()).toBe(0)
  })

  it('come back when a job fails or is cancelled (sections 1 and 4.5)', async () => {
    const { server, caller } = setUp({ clock: 'manual', credits: PRICE })
    server.script(MODEL, [{ result: 'failed', after_ms: 10 }, { result: 'hang' }])
    await caller.run(MODEL, { sync: false })
    expect((await caller.run(MODEL, { sync: false })).status).toBe(402)
    await server.clock.advance(10)
    const { status, body } = await caller.run(MODEL, { sync: false })
    expect(status).toBe(202)
    expect((await caller.run(MODEL, { sync: false })).status).toBe(402)
    await caller.delete(`/v1/jobs/${String(body.job_id)}`)
    expect((await caller.run(MODEL, { sync: false })).status).toBe(202)
  })
})
