import { fixtures } from '@modelrun/contract/fixtures'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../test/caught.ts'
import { WebhookParseError } from '../client/errors/local-errors.ts'
import { MAX_WEBHOOK_BYTES, parseWebhook, type WebhookBody } from './parse-webhook.ts'
import type { UnknownEvent } from './webhook-event.ts'

const { succeeded, failed, unknownFields, unknownOutputType, unknownStatus, cancelled } = fixtures.webhooks

const bytesOf = (text: string) => new TextEncoder().encode(text)
const requestOf = (body: BodyInit | ReadableStream, headers?: Record<string, string>) =>
  new Request('https://example.com/hook', {
    method: 'POST',
    body,
    duplex: 'half',
    ...(headers && { headers }),
  } as RequestInit)
const streamOf = (source: UnderlyingDefaultSource<Uint8Array>) => requestOf(new ReadableStream(source))
const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`

const JSON_TEXT = JSON.stringify(succeeded.body)

/** A body that is not a delivery, and why. What a program without types may pass is cast. */
const rejected = async (body: unknown) => (await caught(parseWebhook(body as WebhookBody), WebhookParseError)).message

describe('a delivery (section 6)', () => {
  const { body, bodyUsed } = requestOf(JSON_TEXT)
  test.each<[string, WebhookBody]>([
    ['a string', JSON_TEXT],
    ['bytes', bytesOf(JSON_TEXT)],
    ['a Buffer', Buffer.from(JSON_TEXT)],
    ['an ArrayBuffer', bytesOf(JSON_TEXT).buffer],
    ['a view of a part of a buffer', Buffer.from(`xx${JSON_TEXT}xx`).subarray(2, -2)],
    ['a request', requestOf(JSON_TEXT)],
    ['a request that names no encoding', requestOf(JSON_TEXT, { 'content-encoding': 'Identity' })],
    ['a request of another class, as some frameworks have them', { body, bodyUsed, arrayBuffer: () => {} }],
    ['an object that a body parser made', succeeded.body],
    ['a string with a byte order mark', `\ufeff${JSON_TEXT}`],
    ['bytes with a byte order mark', Buffer.from(`\ufeff${JSON_TEXT}`)],
  ])('is read from %s', async (_, given) => {
    await expect(parseWebhook(given)).resolves.toEqual(succeeded.body)
  })

  test('is read when its characters are cut by the chunks of the stream', async () => {
    const bytes = bytesOf(JSON.stringify({ ...succeeded.body, note: '€€' }))
    const start: UnderlyingDefaultSource<Uint8Array>['start'] = (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    }
    await expect(parseWebhook(streamOf({ start }))).resolves.toMatchObject({ note: '€€' })
  })

  test.each([
    ['fields that are not specified', unknownFields.body],
    ['a failure', failed.body],
    ['an unknown type of output', unknownOutputType.body],
  ])('keeps %s', async (_, given) => {
    await expect(parseWebhook(given)).resolves.toEqual(given)
  })

  const { credits_used: _credits, completed_at: _time, ...bare } = succeeded.body
  const items = [
    { type: 'text', text: 'A red fox.' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
    { type: 'image', url: null },
    'a red fox',
    null,
  ]
  const { error: _error, ...bareFailure } = failed.body
  const unknown = { code: 'UNKNOWN', message: 'The service gave no reason.' }
  test.each<[string, object, object]>([
    ['completed for succeeded (section 3)', { ...succeeded.body, status: 'completed' }, succeeded.body],
    ['no side fields', bare, bare],
    ['side fields of wrong types', { ...bare, credits_used: '1', completed_at: 7 }, bare],
    ['side fields that are null', { ...bare, credits_used: null, completed_at: null }, bare],
    [
      'other fields that are null',
      { ...bare, model_id: null, meta: { a: null } },
      { ...bare, model_id: null, meta: { a: null } },
    ],
    ['another status within', { ...bare, data: { status: 'queued' } }, { ...bare, data: { status: 'queued' } }],
    [
      'text, data URIs, null and no URL among its items',
      { ...bare, output: { type: 'mixed', items } },
      { ...bare, output: { type: 'mixed', items } },
    ],
    ['a job id that is an integer', { ...bare, job_id: 17 }, { ...bare, job_id: '17' }],
    ['a long job id', { ...bare, job_id: 'x'.repeat(500) }, { ...bare, job_id: 'x'.repeat(500) }],
    ['more items than any model makes', { ...bare, output: { items: Array(5_000).fill({}) } }, { status: 'succeeded' }],
    ['a side field that is nested deeply', { ...bare, meta: JSON.parse(nested(100, '1')) }, bare],
    ['an output beside an error', { ...bare, error: null }, { ...bare, error: null }],
    [
      'an error without a code',
      { ...bareFailure, error: { message: 'No.' } },
      { ...bareFailure, error: { code: 'UNKNOWN', message: 'No.' } },
    ],
    ['no error of a failure', bareFailure, { ...bareFailure, error: unknown }],
  ])('is a result with %s', async (_, given, event) => {
    const parsed = await parseWebhook(given)
    expect(parsed).toMatchObject(event)
    if (!('credits_used' in event)) expect(parsed).not.toHaveProperty('credits_used')
  })

  test.each<[string, { job_id?: unknown; status?: unknown; output?: unknown }, unknown]>([
    ['an unknown status', unknownStatus.body, unknownStatus.body.status],
    ['the status cancelled', cancelled.body, 'cancelled'],
    ['a missing output', { job_id: 'job_1', status: 'succeeded' }, 'succeeded'],
    ['an output that is not one', { job_id: 'job_1', status: 'succeeded', output: { items: 0 } }, 'succeeded'],
    ['no status', { job_id: 'job_1' }, undefined],
    ['a status that is a number', { job_id: 'job_1', status: 5 }, undefined],
    ...['x'.repeat(101), 'a\nb', '\ud800', ''].map(
      (status) =>
        [`the status ${JSON.stringify(status)}`, { job_id: 'job_1', status }, undefined] as [string, object, undefined],
    ),
  ])('with %s is an unknown event, and is not lost', async (_, given, reported_status) => {
    const event = { status: 'unknown', job_id: given.job_id, payload: given }
    await expect(parseWebhook(given)).resolves.toEqual(
      reported_status === undefined ? event : { ...event, reported_status },
    )
  })
})

describe('a body that is not a delivery is rejected', () => {
  const getter = {
    get job_id(): string {
      throw new Error('trap')
    },
  }
  const WANTED = 'it is not a JSON object with a `job_id` of 1 to 500 characters'
  const circle: Record<string, unknown> = { job_id: 'job_1' }
  circle.self = circle
  test.each<[string, unknown, string]>([
    ['no JSON', 'x', 'it is not JSON'],
    ['cut JSON', '{"job_id":', 'it is not JSON'],
    ['a list', '[]', WANTED],
    ['a number', '1', WANTED],
    ['null', 'null', WANTED],
    ['undefined, because no body parser ran', undefined, 'If no body parser ran, pass the request'],
    ['without a job id', '{"id":"job_1"}', WANTED],
    ['a job id that JSON may have rounded', '{"job_id":9007199254740993}', WANTED],
    ['an empty job id', { job_id: '' }, WANTED],
    ['an endless job id', { job_id: 'x'.repeat(501) }, WANTED],
    ['a job id with a control character', '{"job_id":"a\\u0000b"}', WANTED],
    ['a job id with half a character', { job_id: '\ud800' }, WANTED],
    ['a job id that changes a path', { job_id: '..' }, WANTED],
    ['an empty string', '', 'it is empty. If a body parser ran first, pass the value that it made'],
    ['no bytes', new Uint8Array(), 'it is empty'],
    ['an empty request', requestOf(''), 'it is empty'],
    ['members that throw', getter, 'it is not plain JSON'],
    ['an object that contains itself', circle, 'Of a request of Node or Express, pass its `body`'],
    [
      'a broken connection',
      streamOf({ start: (controller) => controller.error(new Error('reset')) }),
      'the connection broke',
    ],
  ])('%s', async (_, body, problem) => {
    expect(await rejected(body)).toContain(problem)
  })

  test.each(['gzip', 'br', 'identity, gzip'])('the content-encoding %s', async (encoding) => {
    const request = requestOf(JSON_TEXT, { 'content-encoding': encoding })
    expect(await rejected(request)).toContain(`its content-encoding is "${encoding}". Send it without`)
    expect(request.bodyUsed).toBe(false)
  })

  test('a request that was read before', async () => {
    const request = requestOf(JSON_TEXT)
    await request.text()
    expect(await rejected(request)).toContain('has been read already')
  })

  test.each<[string, (text: string) => WebhookBody]>([
    ['a string', (text) => text],
    ['bytes', bytesOf],
    ['a request', requestOf],
  ])('%s of more than 256 KiB', async (_, make) => {
    const padded = (bytes: number) => make(`${' '.repeat(bytes - JSON_TEXT.length)}${JSON_TEXT}`)
    await expect(parseWebhook(padded(MAX_WEBHOOK_BYTES))).resolves.toEqual(succeeded.body)
    expect(await rejected(padded(MAX_WEBHOOK_BYTES + 1))).toContain('larger than 262144 bytes')
  })

  test('more than 256 KiB in bytes, and less in characters', async () => {
    const given = { job_id: 'job_1', text: '€'.repeat(90_000) }
    for (const body of [given, JSON.stringify(given)]) expect(await rejected(body)).toContain('larger than')
  })

  test('a sender that never ends', async () => {
    let sent = 0
    const pull: UnderlyingDefaultSource<Uint8Array>['pull'] = (controller) => {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536).fill(32))
    }
    expect(await rejected(streamOf({ pull }))).toContain('larger than')
    expect(sent).toBeLessThan(1_000_000)
  })
})

describe('a hostile body', () => {
  test('changes no prototype, and no object that it is merged into', async () => {
    const pollution = '"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},'
    const event = await parseWebhook(
      JSON.stringify({ ...failed.body, list: [{}] })
        .replaceAll('{', `{${pollution}`)
        .replaceAll(',}', '}'),
    )
    const merged: object = Object.assign({}, event)
    for (const value of [{}, event, merged]) expect(value).not.toHaveProperty('isAdmin')
    expect(Object.hasOwn(event, '__proto__')).toBe(false)
    expect(Object.hasOwn(event, 'constructor')).toBe(false)
  })

  test('has 32 levels at most, whatever it is: it can be stored', async () => {
    const deep = `{"job_id":"job_1","status":"expired","a":${nested(31, '{"b":1}')},"c":${nested(100_000)}}`
    const { payload } = (await parseWebhook(deep)) as UnknownEvent
    expect(JSON.stringify(payload.a)).toBe(nested(31).replace('[]', '[null]'))
    expect(JSON.stringify(payload.c)).toBe(nested(31).replace('[]', '[null]'))
  })

  test('is parsed once, and each of its values is visited once', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const entries = vi.spyOn(Object, 'entries')
    const items = `[${Array(60_000).fill('[]').join(',')}]`
    await parseWebhook(JSON_TEXT.replace(/\[.*?\]/, items))
    expect(parse).toHaveBeenCalledOnce()
    // The body, its output, the list of items, each of the items, the side fields.
    expect(entries).toHaveBeenCalledTimes(60_004)
  })

  test('is not parsed at all when it is too large', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    expect(await rejected(`[${'0,'.repeat(5_000_000)}0]`)).toContain('larger than')
    expect(parse).not.toHaveBeenCalled()
  })

  test('becomes an event or a WebhookParseError, whatever it is', async () => {
    const anyBody = fc.oneof(fc.string(), fc.json(), fc.uint8Array(), fc.object({ withNullPrototype: true }))
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const event = await parseWebhook(body).catch((error: unknown) => error)
        return event instanceof WebhookParseError || (event as { job_id: unknown }).job_id !== undefined
      }),
    )
  })
})
