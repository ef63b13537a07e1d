import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createManualClock } from '../../../test/manual-clock.ts'
import { WebhookParseError } from '../../client/errors/local-errors.ts'
import { MAX_WEBHOOK_BYTES, WEBHOOK_BODY } from '../../webhooks/parse-webhook.ts'
import { readNodeStream, readRequest } from './read-body.ts'

const requestOf = (body: ReadableStream, headers: Record<string, string> = {}) =>
  // `duplex` is missing in the types of the DOM.
  new Request('https://example.com', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('a body that is slow', () => {
  test('is given up after 3 s as a request, and its stream is cancelled', async () => {
    const clock = createManualClock()
    let isCancelled = false
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array([123])),
      cancel: () => {
        isCancelled = true
      },
    })
    const error = caught(readRequest(requestOf(body), clock, WEBHOOK_BODY), WebhookParseError)
    await clock.advance(2_999)
    expect(isCancelled).toBe(false)
    await clock.advance(1)
    await expect(error).resolves.toMatchObject({ status: 408, message: expect.stringContaining('within 3000 ms') })
    expect([isCancelled, clock.timerCount]).toEqual([true, 0])
  })

  test('is read when it ends in time, however often it pauses', async () => {
    const clock = createManualClock()
    const stream = new PassThrough()
    const read = readNodeStream(stream, clock, WEBHOOK_BODY)
    stream.write('{')
    await clock.advance(2_000)
    stream.end('}')
    expect(text(await read)).toBe('{}')
    expect(clock.timerCount).toBe(0)
  })

  test('is too large, not slow, when it is both', async () => {
    const clock = createManualClock()
    const stream = new PassThrough()
    const onError = vi.fn()
    const error = caught(readNodeStream(stream, clock, WEBHOOK_BODY), WebhookParseError).finally(onError)
    stream.write(Buffer.alloc(MAX_WEBHOOK_BYTES + 1))
    await clock.advance(2_999)
    expect(onError).not.toHaveBeenCalled()
    await clock.advance(1)
    await expect(error).resolves.toMatchObject({ status: 400, message: expect.stringContaining('larger than') })
  })
})

describe('a body', () => {
  test('of a stream of Node that is too large is read to its end, or its sender would not see the response', async () => {
    const stream = Readable.from(Array.from({ length: 10 }, () => Buffer.alloc(65_536)))
    const error = await caught(readNodeStream(stream, createManualClock(), WEBHOOK_BODY), WebhookParseError)
    expect([error.message, stream.readableEnded]).toEqual([expect.stringContaining('larger than'), true])
  })

  test('of texts is counted in bytes', async () => {
    const read = readNodeStream(Readable.from(['€', 'a']), createManualClock(), WEBHOOK_BODY)
    expect(text(await read)).toBe('€a')
  })

  test('that says it is too large is not read', async () => {
    const request = requestOf(new ReadableStream(), { 'content-length': '262145' })
    const error = await caught(readRequest(request, createManualClock(), WEBHOOK_BODY), WebhookParseError)
    expect(error.message).toContain('larger than 262144 bytes')
    expect(request.bodyUsed).toBe(false)
  })

  test('that another reader has locked is rejected at once', async () => {
    const request = requestOf(new ReadableStream())
    request.body?.getReader()
    const error = await caught(readRequest(request, createManualClock(), WEBHOOK_BODY), WebhookParseError)
    expect(error.message).toContain('has been read already')
  })

  test('of a request without one is empty', async () => {
    const request = new Request('https://example.com', { method: 'POST' })
    await expect(readRequest(request, createManualClock(), WEBHOOK_BODY)).resolves.toEqual(new Uint8Array())
  })

  test('that breaks off is rejected', async () => {
    const stream = new PassThrough()
    const error = caught(readNodeStream(stream, createManualClock(), WEBHOOK_BODY), WebhookParseError)
    stream.destroy(new Error('reset'))
    expect((await error).message).toContain('the connection broke before its end')
  })
})
