import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { callFetch, type FetchInit, type FetchLike, type FetchResponse } from './fetch.ts'

const init: FetchInit = { method: 'GET', headers: {}, signal: new AbortController().signal, redirect: 'manual' }

const call = (fetch: FetchLike) =>
  callFetch(fetch, { url: 'https://api.example.com/v1/models', init, fetchOptions: {} })

/** A response as node-fetch has it: its body is a Node stream. */
function nodeResponse(status: number, body: Readable): FetchResponse {
  const headers = new Headers({ 'x-request-id': 'req_1', 'content-type': 'application/json' })
  return { ok: status < 300, status, headers, body, text: () => Promise.reject(new Error('not asked for')) }
}

describe('callFetch', () => {
  const withBody = (body: unknown) => ({ ...nodeResponse(200, Readable.from([])), body })

  test.each<[string, unknown[]]>([
    ['a response of the platform, with a body or without', [Response.json({}), new Response(null, { status: 204 })]],
    ['a response with a web stream of another library, which can be iterated too', [withBody(new Blob(['']).stream())]],
    ['what is not an object: its reader says that it is not a response', [undefined, null, 'text']],
    ['a response whose body is nothing that it knows', [undefined, null, 'text', {}].map(withBody)],
  ])('returns as it is %s', async (_, responses) => {
    for (const response of responses) await expect(call(() => response as FetchResponse)).resolves.toBe(response)
  })

  test('makes a response of one whose body is a Node stream', async () => {
    const chunks = [Buffer.from('{"a"'), Buffer.from(':1}')]
    const response = await call(() => nodeResponse(201, Readable.from(chunks, { objectMode: false })))
    expect(response).toBeInstanceOf(Response)
    expect(response.status).toBe(201)
    expect(Object.fromEntries(response.headers)).toEqual({
      'x-request-id': 'req_1',
      'content-type': 'application/json',
    })
    await expect(response.text()).resolves.toBe('{"a":1}')
  })

  test.each([204, 205, 304])('makes a response without a body of a %i, which can have none', async (status) => {
    const response = await call(() => nodeResponse(status, Readable.from([])))
    expect([response.status, response.body]).toEqual([status, null])
  })

  test('fails to read a body whose Node stream fails', async () => {
    const body = new Readable({ read: () => void body.destroy(new Error('ECONNRESET')) })
    const response = await call(() => nodeResponse(200, body))
    await expect(response.text()).rejects.toThrow('ECONNRESET')
  })

  test('ends the Node stream when the body is not read to its end', async () => {
    const body = new Readable({ read: () => void body.push('more') })
    const response = await call(() => nodeResponse(200, body))
    const reader = response.body?.getReader()
    await reader?.read()
    expect(body.destroyed).toBe(false)
    await reader?.cancel()
    expect(body.destroyed).toBe(true)
  })

  test('does not end an iterator that has no `return`', async () => {
    const body = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: Buffer.from('x') }) }) }
    const response = await call(() => ({ ...nodeResponse(200, Readable.from([])), body }))
    await expect(response.body?.cancel()).resolves.toBeUndefined()
  })
})
