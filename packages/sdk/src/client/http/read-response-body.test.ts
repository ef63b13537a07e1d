import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { readBody } from './read-response.ts'

const MEBIBYTE = 1024 * 1024

const never = new AbortController().signal

/** A response that sends chunks, then ends, fails or stalls. */
function chunked(chunks: readonly Uint8Array[], end: 'close' | 'fail' | 'stall') {
  const cancel = vi.fn()
  const rest = [...chunks]
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = rest.shift()
      if (chunk) controller.enqueue(chunk)
      else if (end === 'close') controller.close()
      else if (end === 'fail') controller.error(new TypeError('terminated'))
      else return new Promise(() => {})
      return undefined
    },
    cancel,
  })
  return { response: new Response(stream), cancel }
}

const bytes = (text: string) => new TextEncoder().encode(text)

describe('readBody', () => {
  test('reads a body to its end', async () => {
    const { response } = chunked([bytes('{"a"'), bytes(':1}')], 'close')
    await expect(readBody(response, never)).resolves.toEqual({ text: '{"a":1}', isCut: false })
  })

  test('joins a character whose bytes come in two chunks', async () => {
    const [first = 0, ...rest] = bytes('€')
    const { response } = chunked([Uint8Array.of(first), Uint8Array.from(rest)], 'close')
    await expect(readBody(response, never)).resolves.toEqual({ text: '€', isCut: false })
  })

  test('reads an absent body as empty', async () => {
    await expect(readBody(new Response(null, { status: 204 }), never)).resolves.toEqual({ text: '', isCut: false })
  })

  test('drops a byte order mark', async () => {
    await expect(readBody(new Response('\ufeff{}'), never)).resolves.toMatchObject({ text: '{}' })
  })

  test('keeps what came before the connection broke', async () => {
    const { response } = chunked([bytes('{"job_id":"job_1"')], 'fail')
    await expect(readBody(response, never)).resolves.toEqual({ text: '{"job_id":"job_1"', isCut: true })
  })

  test('stops at 10 MiB, says so, and frees the connection', async () => {
    const chunk = new Uint8Array(MEBIBYTE).fill(97)
    const { response, cancel } = chunked(
      Array.from({ length: 12 }, () => chunk),
      'stall',
    )
    const { text, isCut, problem } = await readBody(response, never)
    expect([text.length, isCut]).toEqual([10 * MEBIBYTE, false])
    expect(problem).toContain('larger than 10485760 bytes')
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('reads the text of a response without a stream, as React Native has them', async () => {
    const response = { text: async () => '{}', bodyUsed: false } as Response
    await expect(readBody(response, never)).resolves.toEqual({ text: '{}', isCut: false })
    const failing = { text: () => Promise.reject(new TypeError('Network request failed')) } as unknown as Response
    await expect(readBody(failing, never)).resolves.toEqual({ text: '', isCut: true })
  })

  test('takes a body of exactly 10 MiB', async () => {
    const { response } = chunked([new Uint8Array(10 * MEBIBYTE).fill(97)], 'close')
    await expect(readBody(response, never)).resolves.toMatchObject({ isCut: false })
  })

  test('settles at once, and frees the connection, for a signal that has aborted before', async () => {
    const { response, cancel } = chunked([], 'stall')
    await expect(readBody(response, AbortSignal.abort())).resolves.toEqual({ text: '', isCut: true })
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('shows that the last character of a body is incomplete', async () => {
    const { response } = chunked([bytes('€').subarray(0, 2)], 'close')
    await expect(readBody(response, never)).resolves.toEqual({ text: '\ufffd', isCut: false })
  })

  test('settles at once with what came when the signal aborts, and frees the connection and the signal', async () => {
    const controller = new AbortController()
    const { response, cancel } = chunked([bytes('{"job_id"')], 'stall')
    const reading = readBody(response, controller.signal)
    await settle()
    controller.abort('enough')
    await expect(reading).resolves.toEqual({ text: '{"job_id"', isCut: true })
    expect(cancel).toHaveBeenCalledOnce()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })
})
