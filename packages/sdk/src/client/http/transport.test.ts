import { ROUTES } from '@modelrun/contract'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import type { Step } from '../../../test/scripted-service.ts'
import { broken, cut, errorResponse, json, silent, stalled, text, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient, createTestCore } from '../../../test/test-client.ts'
import { openScope, withinScope } from '../../shared/clock.ts'
import type { ModelRun } from '../client.ts'
import { RateLimitError, ServerError } from '../errors/api-errors.ts'
import { AttemptTimeoutError, ConnectionError } from '../errors/transport-errors.ts'
import type { ModelRunOptions } from '../options.ts'
import { runOperation } from '../runs/run-operation.ts'
import type { FetchLike } from './fetch.ts'
import type { CallOptions, Operation } from './operation.ts'

const read: Operation<string> = { route: ROUTES.listModels, read: (received) => received.text }
const run = runOperation('aurora-image', { input: { prompt: 'x' } })

const QUEUED = { job_id: 'job_1', request_id: 'req_1', model_id: 'aurora-image', status: 'queued' }

interface Setup {
  client?: ModelRunOptions
  options?: CallOptions
  deadlineMs?: number
}

/** Makes one call. Delays have no jitter and are the longest there are. */
function callOnce<T>(operation: Operation<T>, steps: readonly Step[], { client, options = {}, ...ends }: Setup = {}) {
  const { core, clock, service } = createTestCore(steps, { random: () => 1, ...client })
  const call = withinScope({ clock, ...ends }, (scope) => core.transport.call(operation, { scope, options }))
  const result = clock.run(call)
  return { result, service, clock, times: service.times, elapsedMs: clock.elapsedMs }
}

describe('a read', () => {
  test('is sent again after 0.5 s, then 1 s, and then fails with the history of its attempts', async () => {
    const { result, times, clock } = callOnce(read, [broken('ECONNRESET'), text(502, '')])
    const startedAt = clock.now()
    const error = await caught(result, ServerError)
    expect(times()).toEqual([0, 500, 1_500])
    expect(error.attempts).toEqual([
      { startedAt, durationMs: 0, reason: 'ECONNRESET', delayMs: 500 },
      { startedAt: startedAt + 500, durationMs: 0, status: 502, reason: 'HTTP 502', delayMs: 1_000 },
      { startedAt: startedAt + 1_500, durationMs: 0, status: 502, reason: 'HTTP 502' },
    ])
    expect(error.isRetryable).toBe(true)
  })

  test('waits exactly as long as Retry-After asks, up to 60 s; else it fails at once, and says for how long', async () => {
    const limited = (seconds: string) => errorResponse(429, 'X', { 'retry-after': seconds })
    const kept = callOnce(read, [limited('60'), text(200, '')])
    await kept.result
    const late = callOnce(read, [limited('61')])
    expect(await caught(late.result, RateLimitError)).toMatchObject({ retryAfterMs: 61_000, isRetryable: true })
    expect([kept.times(), late.times(), late.elapsedMs()]).toEqual([[0, 60_000], [0], 0])
  })

  test.each([1_200, 1_500])(
    'fails at once when the deadline of %i ms is not after the next attempt',
    async (deadlineMs) => {
      const { result, times, elapsedMs } = callOnce(read, [text(503, '')], { deadlineMs })
      await caught(result, ServerError)
      expect(times()).toEqual([0, 500])
      expect(elapsedMs()).toBe(500)
    },
  )

  test('is sent as often as the call says, over what the client says', async () => {
    const none = callOnce(read, [text(500, '')], { options: { maxRetries: 0 } })
    await caught(none.result, ServerError)
    expect(none.times()).toHaveLength(1)
    const seven = callOnce(read, [text(500, '')], { client: { maxRetries: 0 }, options: { maxRetries: 6 } })
    await caught(seven.result, ServerError)
    expect(seven.times()).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 23_500])
  })
})

describe('a run', () => {
  test.each([
    ['a connection that was refused', unconnected('ECONNREFUSED')],
    ['a name that was not found', unconnected('ENOTFOUND')],
    ['429', text(429, '')],
    ['503 of the service with Retry-After', errorResponse(503, 'BUSY', { 'retry-after': '0.5' })],
  ])('is sent again after %s, which cannot have counted', async (_, step) => {
    const { result, times } = callOnce(run, [step, json(202, QUEUED)])
    await expect(result).resolves.toMatchObject({ data: QUEUED })
    expect(times()).toEqual([0, 500])
  })

  test.each([
    ['a connection that broke', broken('EPIPE')],
    ['500', text(500, '')],
    ['503 of the service without Retry-After', errorResponse(503, 'BUSY')],
    ['503 of a gateway with Retry-After', text(503, '<html>', { 'retry-after': '0.5' })],
    ['408', text(408, '')],
    ['a response that was cut', cut(200, '{"status"')],
    ['a web page', text(200, '<html>')],
    ['a time limit', silent()],
  ])('is never sent again after %s', async (_, step) => {
    const { result, service } = callOnce(run, [step, json(202, QUEUED)])
    await expect(result).rejects.toMatchObject({ submission: 'unknown', isRetryable: false })
    expect(service.received).toHaveLength(1)
  })

  test.each([
    ['is held may take 55 s on top of timeoutMs (section 8)', {}, 85_000],
    ['is not held may take timeoutMs alone (section 4.3)', { sync: false }, 30_000],
    ['has a webhook may take timeoutMs alone (section 4.3)', { webhook_url: 'https://example.com/hook' }, 30_000],
  ])('that %s', async (_, more, limitMs) => {
    const { result, elapsedMs } = callOnce(runOperation('aurora-image', { input: {}, ...more }), [silent()])
    const error = await caught(result, AttemptTimeoutError)
    expect(elapsedMs()).toBe(limitMs)
    expect(error.message).toContain(`within ${limitMs} ms`)
  })

  test('is not lost when its response stalls after the job id', async () => {
    const { result, elapsedMs } = callOnce(run, [stalled(202, '{"job_id":"job_1","status":"proc')])
    await expect(result).resolves.toMatchObject({ data: { status: 'unknown', job_id: 'job_1' } })
    expect(elapsedMs()).toBe(85_000)
    const nameless = callOnce(run, [stalled(200, '{"status"')])
    await caught(nameless.result, AttemptTimeoutError)
    expect(nameless.elapsedMs()).toBe(85_000)
  })

  test('that is aborted after its response named the job is accepted: the caller gets the job', async () => {
    const { core, service, clock } = createTestCore([stalled(202, '{"job_id":"job_9","status":"queued"')])
    const call = (signal: AbortSignal) => core.transport.call(run, { scope: openScope({ clock, signal }), options: {} })
    const error = await aborted(call)
    expect(error).toMatchObject({ jobId: 'job_9', submission: 'accepted' })
    expect(error.message).toContain('The service had accepted the run: see `error.jobId`.')
    expect(service.received).toHaveLength(1)
  })
})

describe('the API key function (section 5.6)', () => {
  test('is asked before each attempt', async () => {
    let count = 0
    const apiKey = async () => `sk_test_number_${++count}`
    const { result, service } = callOnce(read, [text(500, ''), text(200, '')], { client: { apiKey } })
    await result
    const sent = service.received.map(({ headers }) => headers.get('authorization'))
    expect(sent).toEqual(['Bearer sk_test_number_1', 'Bearer sk_test_number_2'])
  })

  test.each([
    ['a run', run],
    ['a read', read],
  ])('that fails ends %s before anything is sent', async (_, operation) => {
    const cause = new Error('the vault is closed')
    const apiKey = () => Promise.reject(cause)
    const { result, service } = callOnce<unknown>(operation, [json(202, QUEUED)], { client: { apiKey } })
    const error = await caught(result, ConfigurationError)
    expect(error).toMatchObject({ submission: 'not_sent', cause, attempts: [] })
    expect(error.message).toContain('because the function `apiKey` failed: the vault is closed.')
    expect(service.received).toHaveLength(0)
  })
})

describe('an error of a framework, which it must get back to steer the rendering of a page', () => {
  const steer = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
  const fail = () => Promise.reject(steer)

  test.each<[string, (client: ModelRun) => PromiseLike<unknown>]>([
    ['a list', (client) => client.models.list()],
    ['a wait', (client) => client.jobs.attach('job_1').result()],
    ['a download', (client) => client.files.download('https://files.example.com/1.png')],
  ])('is that of %s, after one attempt', async (_, call) => {
    const fetch = vi.fn(fail)
    const { client } = createTestClient([], { fetch })
    await expect(call(client)).rejects.toBe(steer)
    await expect(call(client.withOptions({ fetch, apiKey: fail }))).rejects.toBe(steer)
    expect(fetch.mock.calls.length).toBeLessThanOrEqual(2)
  })

  test('is that of a run that the `fetch` of the process did not send', async () => {
    vi.stubGlobal('fetch', fail)
    const { client } = createTestClient([], { fetch: undefined })
    await expect(client.run('m', {})).rejects.toBe(steer)
    expect(steer).not.toHaveProperty('submission')
  })

  test.each<[string, object, (client: ModelRun) => PromiseLike<unknown>]>([
    ['a run that may be sent', { submission: 'unknown' }, (client) => client.run('m', {})],
    [
      'a job of this client',
      { submission: 'accepted', jobId: 'job_1' },
      async (client) => (await client.submit('m', {})).get(),
    ],
  ])('is not that of %s', async (_, error, call) => {
    const { service } = createTestCore([json(202, QUEUED)])
    const isAccepted = 'jobId' in error
    const fetch: FetchLike = (url, init) => (isAccepted && init.method === 'POST' ? service.fetch(url, init) : fail())
    const { client } = createTestClient([], { fetch, maxRetries: 0 })
    await expect(call(client)).rejects.toMatchObject({ name: 'ConnectionError', ...error })
  })

  test('has a code as its digest, and no number, which other errors of a page have', async () => {
    const { client } = createTestClient([], { fetch: () => Promise.reject({ ...steer, digest: '1234567' }) })
    await caught(client.withOptions({ maxRetries: 0 }).models.list(), ConnectionError)
  })
})

test('the time of day is read after a request was sent, and not before', async () => {
  const { client, clock } = createTestClient([], { fetch: () => new Promise(() => {}) })
  const wallNow = vi.fn(clock.now)
  void client.withOptions({ clock: { ...clock, wallNow } }).models.list()
  await clock.advance(1_000)
  expect(wallNow).not.toHaveBeenCalled()
})
