import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WebhookParseError } from '../errors/local-errors.ts'
import { caught } from '../testing/caught.ts'
import { MAX_WEBHOOK_BYTES, parseWebhook, type WebhookBody } from './parse-webhook.ts'

const { succeeded, failed, unknownFields, unknownOutputType, unknownStatus, cancelled } = fixtures.webhooks

const textOf = (body: unknown) => JSON.stringify(body)
const bytesOf = (body: unknown) => new TextEncoder().encode(textOf(body))
const requestOf = (body: BodyInit) => new Request('https://example.com/hook', { method: 'POST', body })

/** A body that is no delivery, and why. What a program without types may pass is cast. */
const refused = async (body: unknown) => (await caught(parseWebhook(body as WebhookBody), WebhookParseError)).message

describe('a delivery (section 6)', () => {
  test.each([
    ['text', textOf(succeeded.body)],
    ['bytes', bytesOf(succeeded.body)],
    ['a Buffer', Buffer.from(textOf(succeeded.body))],
    ['an ArrayBuffer', bytesOf(succeeded.body).buffer],
    ['a view of a part of a buffer', Buffer.from(`xx${textOf(succeeded.body)}xx`).subarray(2, -2)],
    ['a request', requestOf(textOf(succeeded.body))],
    ['an object that a body parser made', succeeded.body],
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
    ['undefined, because no body parser ran', undefined],
    ['null, because no body parser ran', null],
  ])('is refused when it is %s', async (_, body) => {
    expect(await refused(body)).toContain('The webhook body cannot be used: it is not ')
  })

  test.each(['', new Uint8Array(), requestOf('')])('is refused with a hint when it is empty', async (body) => {
    expect(await refused(body)).toContain('it is empty. If a body parser ran first, pass the value that it made')
  })

  test('is refused at once when the request was read before', async () => {
    const request = requestOf(textOf(succeeded.body))
    await request.text()
    expect(await refused(request)).toContain('has been read already')
  })

  test('is refused when the connection breaks', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
    const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await refused(request)).toContain('the connection broke')
  })

  test.each([
    ['text', (text: string) => text],
    ['bytes', (text: string) => new TextEncoder().encode(text)],
    ['a request', requestOf],
  ])('is refused when it is larger than 256 KiB as %s', async (_, make) => {
    const padding = (bytes: number) => `${' '.repeat(bytes - textOf(succeeded.body).length)}${textOf(succeeded.body)}`
    await expect(parseWebhook(make(padding(MAX_WEBHOOK_BYTES)))).resolves.toEqual(succeeded.body)
    expect(await refused(make(padding(MAX_WEBHOOK_BYTES + 1)))).toContain('larger than 262144 bytes')
  })

  test('is measured in bytes, not in characters', async () => {
    expect(await refused(textOf({ job_id: 'job_1', text: '€'.repeat(90_000) }))).toContain('larger than')
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
    expect(await refused(request)).toContain('larger than')
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

  test('may be nested deeper than any stack', async () => {
    const deep = `{"job_id":"job_1","status":"succeeded","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    await expect(parseWebhook(deep)).resolves.toMatchObject({ status: 'unknown', job_id: 'job_1' })
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
