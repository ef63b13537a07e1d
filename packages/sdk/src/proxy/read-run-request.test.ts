import { describe, expect, test } from 'vitest'
import { json } from '../../test/scripted-service.ts'
import { createTestProxy, MODEL, RUN_PATH } from '../../test/test-proxy.ts'

const QUEUED = json(202, { job_id: 'job_1', request_id: 'req_1', status: 'queued', model_id: MODEL })
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

describe('the body of a run (section 4.3)', () => {
  test('is passed on with its input and sync, and nothing else', async () => {
    const { send, service } = createTestProxy([QUEUED])
    const body = { input: { prompt: 'x', constructor: 'y', list: [null, true] }, sync: false }
    await send(`POST ${RUN_PATH}`, { body, headers: { 'content-type': 'application/json; charset=utf-8' } })
    expect(service.received[0]?.body).toEqual(body)
  })

  test.each<[string, unknown, [number, string]]>([
    ['a webhook of the page', { input: {}, webhook_url: 'https://evil.test' }, [400, 'cannot have a `webhook_url`']],
    ['another member', { input: {}, model: 'x', priority: 1 }, [400, 'not known: model, priority']],
    ['no input', {}, [400, 'wrong shape at /input']],
    ['an input that is a list', { input: [] }, [400, 'wrong shape at /input']],
    ['a sync that is a text', { input: {}, sync: 'false' }, [400, 'wrong shape at /sync']],
    ['a list', [], [400, 'wrong shape at its root']],
    ['a prototype', '{"input":{"a":{"__proto__":{"admin":true}}}}', [400, '`__proto__`']],
    ['a number that is too large', '{"input":{"a":[1e999]}}', [400, 'a number in it is too large']],
    ['too many levels', { input: deep(32) }, [400, 'deeper than 32']],
    ['nothing', '', [400, 'not JSON']],
    ['a part of JSON', '{"input":', [400, 'not JSON']],
    ['too many bytes', { input: { prompt: '€'.repeat(400_000) } }, [413, 'larger than 1048576 bytes']],
  ])('is rejected with %s, and nothing is sent', async (_, body, [status, message]) => {
    const { send, service } = createTestProxy([QUEUED])
    const response = await send(`POST ${RUN_PATH}`, { body })
    expect(response).toMatchObject({ status, body: { error: { message: expect.stringContaining(message) } } })
    expect(service.received).toEqual([])
  })

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'])(
    'is rejected with the content type %s, which forms of other sites can send',
    async (contentType) => {
      const { send, service } = createTestProxy([QUEUED])
      const body = { input: {} }
      const response = await send(`POST ${RUN_PATH}`, { body, headers: { 'content-type': contentType } })
      expect(response).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } })
      expect(service.received).toEqual([])
    },
  )

  test('is rejected when it is compressed', async () => {
    const { send } = createTestProxy([QUEUED])
    const response = await send(`POST ${RUN_PATH}`, { body: { input: {} }, headers: { 'content-encoding': 'gzip' } })
    expect(response).toMatchObject({ status: 400, text: expect.stringContaining('content-encoding') })
  })

  test('is limited as the option says', async () => {
    const { send } = createTestProxy([QUEUED], { maxBodyBytes: 20 })
    const statusOf = async (a: number) => (await send(`POST ${RUN_PATH}`, { body: { input: { a } } })).status
    expect([await statusOf(1), await statusOf(12_345)]).toEqual([202, 413])
  })

  test('is given up after 30 s, with a status after which no browser sends it again', async () => {
    const { proxy, clock } = createTestProxy([QUEUED])
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-user': 'anna' }
    const init = { method: 'POST', body, headers, duplex: 'half' }
    const responding = proxy.handle(new Request(`https://app.example.com/api/modelrun${RUN_PATH}`, init))
    await clock.advance(30_000)
    expect((await responding).status).toBe(400)
    expect(clock.timerCount).toBe(0)
  })
})
