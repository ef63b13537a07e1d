import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { WebhookParseError } from '../client/errors/local-errors.ts'
import { MAX_WEBHOOK_BYTES, parseWebhook, type WebhookBody } from './parse-webhook.ts'

const { succeeded, failed, unknownFields, unknownOutputType, unknownStatus, cancelled } = fixtures.webhooks

const textOf = (body: unknown) => JSON.stringify(body)
const bytesOf = (body: unknown) => new TextEncoder().encode(textOf(body))
const requestOf = (body: BodyInit) => new Request('https://example.com/hook', { method: 'POST', body })

/** A body that is no delivery, and why. What a program without types may pass is cast. */
const rejected = async (body: unknown) => (await caught(parseWebhook(body as WebhookBody), WebhookParseError)).message

describe('a delivery (section 6)', () => {
  test.each([
    ['text', textOf(succeeded.body)],
    ['bytes', bytesOf(succeeded.body)],
    ['a Buffer', Buffer.from(textOf(succeeded.body))],
    ['an ArrayBuffer', bytesOf(succeeded.body).buffer],
    ['a view of a part of a buffer', Buffer.from(`xx${textOf(succeeded.body)}xx`).subarray(2, -2)],
    ['a request', requestOf(textOf(succeeded.body))],
    ['an object that a body parser made', succeeded.body],
    ['text with a byte order mark', `\ufeff${textOf(succeeded.body)}`],
    ['text with a byte order mark, as bytes', Buffer.from(`\ufeff${textOf(succeeded.body)}`)],
  ])('is read from %s', async (_, body) => {
    await expect(parseWebhook(body)).resolves.toEqual(succeeded.body)
  })

  test('is read from a request of another class, as some frameworks have them', async () => {
    const { body, bodyUsed } = requestOf(textOf(succeeded.body))
    const foreign = { body, bodyUsed, arrayBuffer: () => {} }
    await expect(parseWebhook(foreign)).resolves.toEqual(succeeded.body)
  })

  test('is read when its characters are cut by the chunks of the stream', async () => {
    const bytes = Buffer.from(textOf({ ...succeeded.body, note: '€€' }))
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' } as RequestInit)
    await expect(parseWebhook(request)).resolves.toMatchObject({ note: '€€' })
  })

  test('of a success or a failure keeps the fields that are not specified', async () => {
    await expect(parseWebhook(unknownFields.body)).resolves.toEqual(unknownFields.body)
    await expect(parseWebhook(failed.body)).resolves.toEqual(failed.body)
    await expect(parseWebhook(unknownOutputType.body)).resolves.toEqual(unknownOutputType.body)
  })

  test('reads completed as the success that it is (section 3)', async () => {
    await expect(parseWebhook({ ...succeeded.body, status: 'completed' })).resolves.toEqual(succeeded.body)
  })

  test.each([
    ['an unknown status', unknownStatus.body, unknownStatus.body.status],
    ['the status cancelled', cancelled.body, 'cancelled'],
    ['a missing output', { job_id: 'job_1', status: 'succeeded' }, 'succeeded'],
    ['an error of a wrong shape', { job_id: 'job_1', status: 'failed', error: 'text' }, 'failed'],
  ])('with %s is an unknown event, not a lost one', async (_, body, reported) => {
    await expect(parseWebhook(body)).resolves.toEqual({
      status: 'unknown',
      job_id: body.job_id,
      reported_status: reported,
      payload: body,
    })
  })

  test('with 1,000 items is a success, with one more an unknown event', async () => {
    const items = Array.from({ length: 1_001 }, () => ({ type: 'image', url: 'https://a.example/1.png' }))
    const deliveryOf = (count: number) => ({
      ...succeeded.body,
      output: { type: 'image', items: items.slice(0, count) },
    })
    await expect(parseWebhook(deliveryOf(1_000))).resolves.toMatchObject({ status: 'succeeded' })
    await expect(parseWebhook(deliveryOf(1_001))).resolves.toMatchObject({
      status: 'unknown',
      reported_status: 'succeeded',
    })
  })

  test.each(['x'.repeat(101), 'a\nb', '\ud800', ''])('reports no status that is no short text: %j', async (status) => {
    const body = { job_id: 'job_1', status }
    await expect(parseWebhook(body)).resolves.toEqual({ status: 'unknown', job_id: 'job_1', payload: body })
  })

  test.each([{ job_id: 'job_1' }, { job_id: 'job_1', status: 5 }])(
    'without a text status reports none: %j',
    async (body) => {
      await expect(parseWebhook(body)).resolves.toEqual({ status: 'unknown', job_id: 'job_1', payload: body })
    },
  )
})

describe('a body that is no delivery', () => {
  test.each([
    ['not JSON', 'x'],
    ['cut', '{"job_id":'],
    ['a list', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['without a job', '{}'],
    ['of a job id that is no text', '{"job_id":1}'],
    ['of an empty job id', textOf({ ...failed.body, job_id: '' })],
    ['of an endless job id', textOf({ ...succeeded.body, job_id: 'x'.repeat(201) })],
    ['of a job id with a control character', '{"job_id":"a\\u0000b"}'],
    ['of a job id with a line feed', { job_id: 'a\nb' }],
    ['of a job id with half a character', { job_id: '\ud800' }],
    ['undefined, because no body parser ran', undefined],
    ['null, because no body parser ran', null],
  ])('is rejected when it is %s', async (_, body) => {
    expect(await rejected(body)).toContain('The webhook body cannot be used: it is not ')
  })

  test.each([
    ['undefined', undefined, 'so no body parser ran: pass the request'],
    ['a list', [], 'it is a list'],
    ['an object without a job', { id: 'job_1' }, 'it has no `job_id`'],
    ['a job id that cannot be one', { job_id: 7 }, 'its `job_id` is something else'],
  ])('is rejected with what is wrong: %s', async (_, body, problem) => {
    expect(await rejected(body)).toContain(problem)
  })

  test.each(['gzip', 'br', 'identity, gzip'])('is rejected when its content-encoding is %s', async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const request = new Request('https://example.com', { method: 'POST', body: textOf(succeeded.body), headers })
    expect(await rejected(request)).toContain(`its content-encoding is "${encoding}". Send it without`)
    expect(request.bodyUsed).toBe(false)
  })

  test('may say that its content-encoding is none', async () => {
    const headers = { 'content-encoding': 'Identity' }
    const request = new Request('https://example.com', { method: 'POST', body: textOf(failed.body), headers })
    await expect(parseWebhook(request)).resolves.toEqual(failed.body)
  })

  test.each(['', new Uint8Array(), requestOf('')])('is rejected with a hint when it is empty', async (body) => {
    expect(await rejected(body)).toContain('it is empty. If a body parser ran first, pass the value that it made')
  })

  test('is rejected at once when the request was read before', async () => {
    const request = requestOf(textOf(succeeded.body))
    await request.text()
    expect(await rejected(request)).toContain('has been read already')
  })

  test('is rejected when the connection breaks', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
    const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await rejected(request)).toContain('the connection broke')
  })

  test.each([
    ['text', (text: string) => text],
    ['bytes', (text: string) => new TextEncoder().encode(text)],
    ['a request', requestOf],
  ])('is rejected when it is larger than 256 KiB as %s', async (_, make) => {
    const padding = (bytes: number) => `${' '.repeat(bytes - textOf(succeeded.body).length)}${textOf(succeeded.body)}`
    await expect(parseWebhook(make(padding(MAX_WEBHOOK_BYTES)))).resolves.toEqual(succeeded.body)
    expect(await rejected(make(padding(MAX_WEBHOOK_BYTES + 1)))).toContain('larger than 262144 bytes')
  })

  test('is measured in bytes, not in characters', async () => {
    expect(await rejected(textOf({ job_id: 'job_1', text: '€'.repeat(90_000) }))).toContain('larger than')
  })

  test('stops a sender that never ends', async () => {
    let sent = 0
    const body = new ReadableStream({
      pull: (controller) => {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await rejected(request)).toContain('larger than')
    expect(sent).toBeLessThan(1_000_000)
  })
})

describe('a hostile body', () => {
  test('pollutes no prototype', async () => {
    const body = '{"job_id":"job_1","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const event = await parseWebhook(body)
    expect({}).not.toHaveProperty('polluted')
    expect(event).not.toHaveProperty('polluted')
    expect(event).not.toHaveProperty('payload.polluted')
  })

  test('changes no object that it is merged into', async () => {
    const event = await parseWebhook(textOf(failed.body).replace('{', '{"__proto__":{"isAdmin":true},'))
    const merged: object = Object.assign({}, event)
    expect(merged).not.toHaveProperty('isAdmin')
  })

  test('that is nested deeper than any stack is an unknown event with what is at its top', async () => {
    const deep = `{"job_id":"job_1","status":"succeeded","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const payload = { job_id: 'job_1', status: 'succeeded' }
    await expect(parseWebhook(deep)).resolves.toEqual({
      status: 'unknown',
      job_id: 'job_1',
      reported_status: 'succeeded',
      payload,
    })
  })

  test('that holds itself is an unknown event that can be stored', async () => {
    const body: Record<string, unknown> = { ...failed.body }
    body.self = body
    const event = await parseWebhook(body)
    expect(JSON.parse(textOf(event))).toMatchObject({ status: 'unknown', job_id: failed.body.job_id })
  })

  test('runs nothing when the event is stored', async () => {
    const body = { ...failed.body, toJSON: () => ({ job_id: 'another' }) }
    const stored = JSON.parse(textOf(await parseWebhook(body)))
    expect(stored).toEqual(failed.body)
  })

  test('is rejected when reading a member throws', async () => {
    const body = {
      get job_id() {
        throw new Error('trap')
      },
    }
    expect(await rejected(body)).toContain('reading its members throws')
  })

  test('gets an event or WebhookParseError, whatever it is', async () => {
    const anyBody = fc.oneof(fc.string(), fc.json(), fc.uint8Array(), fc.object({ withNullPrototype: true }))
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const event = await parseWebhook(body).catch((error: unknown) => error)
        return event instanceof WebhookParseError || (event as { job_id: unknown }).job_id !== undefined
      }),
    )
  })
})
