import ky from 'ky'
import { describe, expect, test, vi } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { printedForms } from '../../../test/printed-forms.ts'
import { errorResponse, json, type Step, silent, text } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient, recordLog } from '../../../test/test-client.ts'
import { RateLimitError } from '../errors/api-errors.ts'
import { AttemptTimeoutError, DeadlineExceededError, InvalidResponseError } from '../errors/transport-errors.ts'

const MODELS = { models: [], total: 0, limit: 20, offset: 0 }
const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }

const never = () => new Promise<never>(() => {})

describe('a ky instance of the caller', () => {
  test('sends its headers and search parameters, and its hooks see each attempt but no key', async () => {
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
        beforeError: [
          ({ error, request }) => {
            seen.push(`error ${error.name}`, printedForms(error), printedForms(request))
            return error
          },
        ],
        afterResponse: [
          async ({ response }) => {
            seen.push(`response ${response.status} ${(await response.text()).length}`)
          },
        ],
      },
    })
    const { client, service, clock } = createTestClient([errorResponse(503, 'BUSY'), json(200, MODELS)], { ky: mine })
    await clock.run(client.models.list({ limit: 5 }))
    await client.request('GET', '/v1/usage')
    const sent = service.received.map(({ path, headers }) => [path, Object.fromEntries(headers)])
    const headers = { 'x-mine': '1', 'x-trace': 't', authorization: `Bearer ${API_KEY}` }
    const once = ['/v1/models?tenant=a&limit=5', headers]
    expect(sent).toMatchObject([once, once, ['/v1/usage?tenant=a', headers]])
    const steps = ['response 503 54', 'error HTTPError', 'response 200 45', 'response 200 45']
    expect(seen.filter((line) => line.length < 60)).toEqual(steps)
    expect(seen.join()).not.toContain(API_KEY)
  })

  test('leaves no timer behind when its own signal aborts between an attempt and a retry', async () => {
    const controller = new AbortController()
    const abort = () => controller.abort()
    const mine = ky.create({ signal: controller.signal, hooks: { afterResponse: [abort] } })
    const { client, clock } = createTestClient([errorResponse(503, 'BUSY')], { ky: mine })
    const failure = await clock.run(client.models.list().catch((error: unknown) => error))
    expect(failure).toMatchObject({ submission: 'not_sent' })
    await settle()
    expect(clock.timerCount).toBe(0)
  })

  test('does not change what an error is', async () => {
    const { client, clock } = createTestClient([text(429, 'no')], {
      ky: ky.extend({ retry: { limit: 9, jitter: () => 60_000 }, timeout: 1, totalTimeout: 1 }),
      maxRetries: 1,
    })
    const error = await caught(clock.run(client.models.list()), RateLimitError)
    expect(error.attempts).toHaveLength(2)
  })

  test('can respond instead of the service', async () => {
    const mine = ky.extend({ hooks: { beforeRequest: [() => Response.json({ ...MODELS, total: 7 })] } })
    const { client, service } = createTestClient([text(500, '')], { ky: mine })
    await expect(client.models.list()).resolves.toMatchObject({ total: 7 })
    expect(service.received).toHaveLength(0)
  })

  test('hands options of frameworks on to fetch, below those of the client', async () => {
    const fetch = vi.fn(async () => Response.json(MODELS))
    const mine = ky.extend({ next: { tags: ['models'] }, dispatcher: 'of ky' } as object)
    const { client } = createTestClient([], { fetch, ky: mine, fetchOptions: { dispatcher: 'ours' } })
    await client.models.list()
    const init = { next: { tags: ['models'] }, dispatcher: 'ours', redirect: 'manual' }
    expect(fetch.mock.calls).toMatchObject([[expect.any(String), init]])
  })

  test('is asked for its fetch', async () => {
    const { client } = createTestClient([], {
      fetch: undefined,
      ky: ky.extend({ fetch: async () => Response.json(MODELS) }),
    })
    await expect(client.models.list()).resolves.toMatchObject({ total: 0 })
  })

  test.each([
    ['another origin', new Request('https://api.example.com.evil.test/v1/models')],
    ['another method', new Request('https://api.example.com/v1/models/aurora-image/run', { method: 'POST' })],
  ])('cannot take the key or a request to %s', async (_, other) => {
    const mine = ky.extend({ hooks: { beforeRequest: [() => other] } })
    const { client, service } = createTestClient([json(200, MODELS)], { ky: mine, maxRetries: 0 })
    await expect(client.models.list()).rejects.toMatchObject({ name: 'ConnectionError', submission: 'not_sent' })
    expect(service.received).toHaveLength(0)
  })
})

describe('a response that cannot have a body', () => {
  const mine = ky.extend({ hooks: { afterResponse: [() => {}] } })

  test.each([204, 205])('of %i reaches the caller past the hooks', async (status) => {
    const { client } = createTestClient([text(status, null)], { ky: mine })
    await expect(client.request('DELETE', '/v1/webhooks/1')).resolves.toBeUndefined()
  })

  test.each([
    ['304', text(304, null)],
    [
      'a browser that hides a redirect',
      () => Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' }),
    ],
  ])('of %s is a redirect to the caller, and not a fault of the hooks', async (_, step) => {
    const { client } = createTestClient([step], { ky: mine })
    await caught(client.models.list(), InvalidResponseError)
  })
})

describe('a ky hook that forces a retry', () => {
  const forced = ky.extend({ hooks: { afterResponse: [() => ky.retry()] } })

  test('does not send an accepted run again: its job is returned', async () => {
    const { lines, log } = recordLog('warn')
    const { client, service, clock } = createTestClient([json(202, QUEUED)], { ky: forced, ...log })
    await expect(clock.run(client.submit('aurora-image', {}))).resolves.toMatchObject({ id: 'job_1' })
    expect(service.received).toHaveLength(1)
    expect(lines.join()).toContain('POST /v1/models/aurora-image/run was not sent again')
  })
})

describe('a ky hook that never ends', () => {
  const waiting = (hook: 'beforeRequest' | 'afterResponse' | 'beforeError', step: Step) =>
    createTestClient([step], { ky: ky.extend({ hooks: { [hook]: [never] } }) })
  const accepted = json(202, QUEUED)

  test('does not hold an abort after an attempt, which ends by itself', async () => {
    const { client } = waiting('beforeError', silent())
    const error = await aborted((signal) => client.submit('aurora-image', {}, { signal }))
    // The run may have been accepted.
    expect(error.submission).toBe('unknown')
  })

  test('does not lose the job of a run that was accepted', async () => {
    const controller = new AbortController()
    const { client } = waiting('afterResponse', accepted)
    const work = client.submit('aurora-image', {}, { signal: controller.signal })
    await settle()
    controller.abort()
    await expect(work).resolves.toMatchObject({ id: 'job_1' })
  })

  test('does not hold a call without a deadline: what the hook sends later is not sent', async () => {
    let go = () => {}
    const mine = ky.extend({ hooks: { beforeRequest: [() => new Promise<void>((resolve) => (go = resolve))] } })
    const { client, service } = createTestClient([accepted], { ky: mine })
    // The limit of a hook is on the clock of the system.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failure = caught(client.submit('aurora-image', {}), AttemptTimeoutError)
    await settle()
    vi.advanceTimersByTime(30_000)
    vi.useRealTimers()
    const message = expect.stringContaining('A ky hook did not return in time')
    expect(await failure).toMatchObject({ submission: 'not_sent', message })
    go()
    await settle()
    expect(service.received).toHaveLength(0)
  })

  test('does not hold a deadline', async () => {
    const { client, clock } = waiting('beforeRequest', accepted)
    const work = client.run('aurora-image', {}, { deadlineMs: 1_000 })
    expect(await caught(clock.run(work), DeadlineExceededError)).toMatchObject({ submission: 'not_sent' })
    expect(clock.timerCount).toBe(0)
  })
})
