import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { broken, json, silent, text } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient } from '../../../test/test-client.ts'
import { ServerError } from '../errors/api-errors.ts'
import { InputValidationError } from '../errors/local-errors.ts'
import { AttemptTimeoutError, ConnectionError } from '../errors/transport-errors.ts'
import type { ApiPromise } from '../http/api-promise.ts'

describe('client.request', () => {
  test('sends a path that the client does not know, with the key, a query and JSON', async () => {
    const { client, service } = createTestClient([json(201, { id: 'hook_1' })])
    const call = client.request('POST', '/v1/webhooks', { query: { dry: true, tag: undefined }, body: { url: 'x' } })
    await expect(call).resolves.toEqual({ id: 'hook_1' })
    expect(service.received).toMatchObject([{ method: 'POST', path: '/v1/webhooks?dry=true', body: { url: 'x' } }])
    expect(service.received[0]?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`)
  })

  test('sends a body as JSON of the same type, and none for an absent one', async () => {
    const { client, service } = createTestClient([json(200, {})])
    const bodies = [{}, [], [1, 'a'], 'text', '', 0, false, null, { a: null, b: [{}] }]
    for (const body of [...bodies, undefined]) await client.request('PUT', '/v1/x', { body })
    expect(service.received.map(({ body }) => body)).toEqual([...bodies, undefined])
    expect(service.received.at(-1)?.headers.get('content-type')).toBeNull()
  })

  test.each([
    ['a form', new FormData()],
    ['a file inside', { input: { image: new File(['x'], 'x.png') } }],
    ['NaN inside', { input: { scale: Number.NaN } }],
    ['a bigint', 1n],
  ])('rejects %s, which JSON would lose or change', async (_, body) => {
    const { client, service } = createTestClient([json(200, {})])
    await caught(client.request('POST', '/v1/models/m/run', { body }), InputValidationError)
    expect(service.received).toHaveLength(0)
  })

  test.each([
    ['an empty body', text(204, null)],
    ['a body of blanks', text(200, ' \r\n')],
  ])('gives undefined for %s', async (_, step) => {
    const { client } = createTestClient([step])
    await expect(client.request('DELETE', '/v1/webhooks/1')).resolves.toBeUndefined()
  })

  test('sends a GET and a DELETE again, and sends once what may cost something', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const { client, service, clock } = createTestClient([text(502, ''), json(200, {})])
      await clock.run(client.request(method, '/v1/x'))
      expect(service.received).toHaveLength(2)
    }
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const { client, service, clock } = createTestClient([broken('ECONNRESET'), json(200, {})])
      const error = await caught(clock.run(client.request(method, '/v1/x', { body: {} })), ConnectionError)
      expect(error.submission).toBe('unknown')
      expect(error.message).toContain('The service may have accepted the request and may charge it')
      expect(service.received).toHaveLength(1)
    }
  })

  test('does not mention charges where nothing can cost anything', async () => {
    const { client } = createTestClient([broken('ECONNRESET')], { maxRetries: 0 })
    const error = await caught(client.request('DELETE', '/v1/webhooks/1'), ConnectionError)
    expect(error.message).toMatch(/Check that the service can be reached from here\.$/)
  })

  const others = ['/v1/models/m/run/x', '/x/v1/models/m/run', '/v1/models/a/b/run', '/v1/jobs/m/run']
  test.each([
    ['/v1/models/m/run', { input: {} }, [85_000, 'run']],
    ['/v1/models/m/run', { input: {}, sync: false }, [30_000, 'run']],
    ...others.map((path): [string, object, [number, string]] => [path, {}, [30_000, 'request']]),
  ])('waits longer for the run of a model, which the service holds: %s %j', async (path, body, [timeMs, what]) => {
    const { client, clock } = createTestClient([silent()])
    const error = await caught(clock.run(client.request('POST', path, { body })), AttemptTimeoutError)
    expect(clock.elapsedMs()).toBe(timeMs)
    expect(error.message).toContain(`may have accepted the ${what}`)
  })

  test('finds the job of a run in an error', async () => {
    const failing = createTestClient([json(502, { job_id: 'job_1', error: { code: 'X', message: 'x' } })])
    const error = await caught(failing.client.request('POST', '/v1/models/m/run', { body: {} }), ServerError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
  })

  const urls = ['https://evil.test/v1/x', '//evil.test/v1/x', '///v1/models', '/\\evil.test/v1/x', '//', 'https://']
  const paths = ['v1/models', '/v1/../../admin', '/v1/%2e%2e/admin', '/v1\\models', '/v1/mod els', '/v1/models\n', '']
  test.each([
    ...[...urls, ...paths, '/v1/models?limit=1', '/v1/models#top'],
    ...([Symbol('/v1'), undefined] as unknown as string[]),
  ])('does not send to the path %j', async (path) => {
    const { client, service } = createTestClient([json(200, {})])
    const error = await caught(client.request('GET', path), ConfigurationError)
    expect(error.message).toContain('The path of client.request must start with /')
    expect(service.received).toHaveLength(0)
  })

  test('takes a known method in any case, and no other', async () => {
    const { client, service } = createTestClient([json(200, {})])
    await client.request('get' as 'GET', '/v1/usage')
    const error = await caught(client.request('TRACE' as 'GET', '/v1/x'), ConfigurationError)
    expect(error.message).toContain('must be one of GET, POST, PUT, PATCH, DELETE, not "TRACE"')
    expect(service.received.map(({ method }) => method)).toEqual(['GET'])
  })
})

test.each([
  ['request', { status: 'completed' }],
  ['run', { status: 'completed', output: { type: 'image', items: [] }, duration_ms: 1, credits_used: 4 }],
  ['submit', { status: 'queued' }],
] as const)('client.%s gives the response too, with the request id of the service', async (method, body) => {
  const run = { job_id: 'job_1', request_id: 'provider_1', model_id: 'm', ...body }
  const { client } = createTestClient([json(200, run, { 'x-request-id': 'req_1' })])
  const call = method === 'request' ? client.request('GET', '/v1/usage') : client[method]('m', {})
  const { data, response, requestId } = await (call as ApiPromise<unknown>).withResponse()
  expect({ status: response.status, requestId }).toEqual({ status: 200, requestId: 'req_1' })
  expect(JSON.stringify(data)).toContain('job_1')
})
