import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { readControlBody, readJsonBody } from './read-json-body.ts'

const MIB = 1024 * 1024
const anything = z.unknown()

function request(
  body: BodyInit | null,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  // `duplex` is asked for by the platform for streams; its types do not know it yet.
  const init = { method: 'POST', body, headers, duplex: 'half' }
  return new Request('https://x.test/', init)
}

async function refusalOf(body: BodyInit | null, headers?: Record<string, string>) {
  const checked = await readJsonBody(request(body, headers), anything)
  if (checked.ok) throw new Error('The body was accepted.')
  const { error } = await checked.refusal.json()
  return { status: checked.refusal.status, ...error }
}

describe('read JSON body', () => {
  it('gives what the JSON means', async () => {
    const text = '{"a":["ä",null,1.5]}'
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
      expect(await readJsonBody(request(text, { 'content-type': type }), anything)).toEqual({
        ok: true,
        value: { a: ['ä', null, 1.5] },
      })
    }
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'json', ''])(
    'answers 415 to the content type %j (section 4)',
    async (type) => {
      const refusal = await refusalOf('{}', { 'content-type': type })
      expect(refusal).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
      expect(refusal.message).toContain('Content-Type: application/json')
    },
  )

  it.each([
    ['', 'The body is empty'],
    [null, 'The body is empty'],
    ['{', 'not valid JSON'],
    ['{"a":1}}', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'not valid UTF-8'],
    [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not valid UTF-8'],
  ])('answers 400 VALIDATION_ERROR to %j', async (body, message) => {
    expect(await refusalOf(body)).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(message),
    })
  })

  it('reads up to 1 MiB and answers 413 to more', async () => {
    const ofSize = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    expect((await readJsonBody(request(ofSize(MIB)), anything)).ok).toBe(true)
    expect(await refusalOf(ofSize(MIB + 1))).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })

  it('stops reading a body without end, and one that says that it is too large', async () => {
    const cancel = vi.fn()
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)), cancel })
    expect(await refusalOf(endless)).toMatchObject({ status: 413 })
    expect(cancel).toHaveBeenCalledOnce()
    const headers = { 'content-type': 'application/json', 'content-length': String(MIB + 1) }
    expect(await refusalOf('{}', headers)).toMatchObject({ status: 413 })
  })

  it('answers 400 to a body that breaks off, or was read before', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    expect(await refusalOf(broken)).toMatchObject({ status: 400, message: expect.stringContaining('broke off') })
    const used = request('{}')
    await used.text()
    expect((await readJsonBody(used, anything)).ok).toBe(false)
  })

  it('reads 64 levels of objects and arrays, and rejects more', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect((await readJsonBody(request(nested(64)), anything)).ok).toBe(true)
    for (const depth of [65, 5_000, 400_000]) {
      const message = 'The body nests deeper than 64 levels of objects and arrays, the most that is read.'
      expect(await refusalOf(nested(depth))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message })
    }
  })

  it('says where a body does not fit', async () => {
    const checked = await readJsonBody(request('{"a":"x"}'), z.strictObject({ a: z.number() }))
    const { error } = checked.ok ? {} : await checked.refusal.json()
    expect(error.message).toBe('The body is not right. /a must be a number, not a string.')
  })
})

describe('read the body of a control request', () => {
  const schema = z.strictObject({ key: z.optional(z.string()) })

  it.each([null, ''])('takes %j for an empty object', async (body) => {
    expect(await readControlBody(request(body, {}), schema)).toEqual({ ok: true, value: {} })
  })

  it('reads JSON whatever the content type says, as curl -d sends it', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await readControlBody(request('{"key":"k"}', form), schema)).toEqual({ ok: true, value: { key: 'k' } })
  })

  it('rejects what is not JSON, and what does not fit', async () => {
    for (const body of ['key=k', '{"kye":"k"}']) {
      const checked = await readControlBody(request(body, {}), schema)
      expect(checked.ok ? undefined : checked.refusal.status).toBe(400)
    }
  })
})
