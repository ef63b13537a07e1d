import ky from 'ky'
import { describe, expect, test } from 'vitest'
import { RateLimitError } from '../errors/api-errors.ts'
import { caught } from '../testing/caught.ts'
import { printedForms } from '../testing/printed-forms.ts'
import { json, refusal, text } from '../testing/scripted-service.ts'
import { API_KEY, createTestClient } from '../testing/test-client.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }
const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }

describe('a ky instance of the caller', () => {
  test('sends its headers and search parameters, and its hooks see each answer but no key', async () => {
    const seen: string[] = []
    const mine = ky.extend({
      headers: { 'x-mine': '1' },
      searchParams: { tenant: 'a' },
      hooks: {
        beforeRequest: [
          ({ request }) => {
            seen.push(printedForms(request))
            request.headers.set('x-trace', 't')
          },
        ],
        beforeRetry: [
          ({ error, retryCount, request }) => {
            seen.push(`retry ${retryCount} after ${error.name}`, printedForms(error), printedForms(request))
          },
        ],
        afterResponse: [
          async ({ response }) => {
            seen.push(`answer ${response.status} ${(await response.text()).length}`)
          },
        ],
      },
    })
    const { client, service, clock } = createTestClient([refusal(503, 'BUSY'), json(200, MODELS)], { ky: mine })
    await clock.run(client.models.list({ limit: 5 }))
    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/models?tenant=a&limit=5',
      '/v1/models?tenant=a&limit=5',
    ])
    expect(
      service.received.map(({ headers }) => [
        headers.get('x-mine'),
        headers.get('x-trace'),
        headers.get('authorization'),
      ]),
    ).toEqual([
      ['1', 't', `Bearer ${API_KEY}`],
      ['1', 't', `Bearer ${API_KEY}`],
    ])
    expect(seen.filter((line) => line.length < 60)).toEqual([
      'answer 503 54',
      'retry 1 after HTTPError',
      'answer 200 45',
    ])
    expect(seen.join()).not.toContain(API_KEY)
  })

  test('cannot make a run be sent twice', async () => {
    const mine = ky.extend({ hooks: { afterResponse: [() => ky.retry()] } })
    const { client, service, clock } = createTestClient([json(202, QUEUED)], { ky: mine })
    await expect(clock.run(client.submit('aurora-image', {}))).rejects.toThrow()
    expect(service.received).toHaveLength(1)
  })

  test('does not change what an error is', async () => {
    const { client, clock } = createTestClient([text(429, 'no')], {
      ky: ky.extend({ retry: 9, timeout: 1, totalTimeout: 1 }),
      maxRetries: 1,
    })
    const error = await caught(clock.run(client.models.list()), RateLimitError)
    expect(error.attempts).toHaveLength(2)
  })

  test('cannot take the key to another place', async () => {
    const mine = ky.extend({
      hooks: { beforeRequest: [() => new Request('https://api.example.com.evil.test/v1/models')] },
    })
    const { client, service } = createTestClient([json(200, MODELS)], { ky: mine, maxRetries: 0 })
    await expect(client.models.list()).rejects.toMatchObject({ name: 'ConnectionError', submission: 'not_sent' })
    expect(service.received).toHaveLength(0)
  })

  test('can end the retries', async () => {
    const mine = ky.extend({ hooks: { beforeRetry: [() => ky.stop] } })
    const { client, service, clock } = createTestClient([text(429, 'no')], { ky: mine })
    await caught(clock.run(client.models.list()), RateLimitError)
    expect(service.received).toHaveLength(1)
  })

  test('can answer instead of the service', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [() => Response.json({ ...MODELS, total: 7 })] } })
    const { client, service } = createTestClient([text(500, '')], { ky: mine })
    await expect(client.models.list()).resolves.toMatchObject({ total: 7 })
    expect(service.received).toHaveLength(0)
  })

  test('is asked for its fetch', async () => {
    const { client } = createTestClient([], {
      fetch: undefined,
      ky: ky.extend({ fetch: async () => Response.json(MODELS) }),
    })
    await expect(client.models.list()).resolves.toMatchObject({ total: 0 })
  })
})
