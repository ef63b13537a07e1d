import { channel } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import { KEY_PREFIXES, ROUTES } from '@modelrun/contract'
import { ConfigurationError, ModelRunError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { printedForms } from '../../../test/printed-forms.ts'
import { json, text } from '../../../test/scripted-service.ts'
import { API_KEY, createTestClient, createTestCore } from '../../../test/test-client.ts'
import { openScope, startTimer } from '../../shared/clock.ts'
import type { ModelRun } from '../client.ts'
import { JobFailedError } from '../errors/job-errors.ts'
import { ConnectionError, DeadlineExceededError } from '../errors/transport-errors.ts'
import type { RunOptions } from '../runs/run-options.ts'

const QUEUED = { job_id: 'job_1', status: 'queued' }
const MODELS = { models: [], total: 0, limit: 20, offset: 0 }

/** What `fetch` gets with a request. */
async function initOf(call: (client: ModelRun) => Promise<unknown>): Promise<object> {
  let sent: object = {}
  const fetch: typeof globalThis.fetch = async (_, init = {}) => {
    sent = init
    return Response.json(QUEUED)
  }
  const { client } = createTestClient([], { fetch })
  await call(client)
  return sent
}

const poll = (client: ModelRun) => client.request('GET', '/v1/jobs/job_1')
const submit = (client: ModelRun) => client.models.run('aurora-image', { input: {}, sync: false })

describe('what fetch gets', () => {
  const TEXT = '{"input":{},"sync":false}'

  test('has the body of a run as text, and no body else', async () => {
    expect(await initOf(submit)).toHaveProperty('body', TEXT)
    expect(await initOf(poll)).not.toHaveProperty('body')
  })

  test('has the body as a Blob in Deno, which sends text a second time by itself when a connection breaks', async () => {
    vi.stubGlobal('Deno', {})
    const body: unknown = Reflect.get(await initOf(submit), 'body')
    expect(body instanceof Blob && (await body.text())).toBe(TEXT)
    expect(await initOf(poll)).not.toHaveProperty('body')
  })

  test('has its path below that of the base URL, JSON headers that no option replaces, and a query (section 4)', async () => {
    const baseUrl = 'https://api.example.com/inference/'
    const headers = { Accept: 'text/html', 'Content-Type': 'text/html', authorization: 'Basic abc' }
    const { client, service } = createTestClient([json(202, QUEUED), json(200, MODELS)], { baseUrl, headers })
    await client.models.run(
      'northlight/retouch',
      { input: { prompt: 'ö' } },
      { headers: { Authorization: 'Basic def' } },
    )
    await client.models.list({ category: undefined, search: 'a b&c', limit: 5, offset: 0 })
    const urls = ['v1/models/northlight%2Fretouch/run', 'v1/models?search=a+b%26c&limit=5&offset=0']
    expect(service.received.map(({ url }) => url)).toEqual(urls.map((url) => `${baseUrl}${url}`))
    const [run, list] = service.received.map((request) => Object.fromEntries(request.headers))
    const all = { accept: 'application/json', authorization: `Bearer ${API_KEY}` }
    expect([run, list]).toMatchObject([{ ...all, 'content-type': 'application/json' }, all])
    expect(service.received[0]?.body).toEqual({ input: { prompt: 'ö' } })
  })

  test('bypasses caches, which frameworks put into fetch', async () => {
    for (const call of [poll, submit]) expect(await initOf(call)).toHaveProperty('cache', 'no-store')
  })

  test.each([
    ['ignores the option', () => {}],
    [
      'rejects the option, as that of Cloudflare once did',
      (init?: RequestInit) => {
        if (init?.cache !== undefined) throw new TypeError('The `cache` field is not implemented')
      },
    ],
  ])('leaves the cache alone on a platform whose Request %s', async (_, check) => {
    vi.stubGlobal(
      'Request',
      class extends Request {
        override readonly cache: RequestCache = 'default'
        constructor(input: RequestInfo | URL, init?: RequestInit) {
          check(init)
          super(input, init)
        }
      },
    )
    expect(await initOf(poll)).not.toHaveProperty('cache')
  })
})

describe('the API key', () => {
  const echo = `the key is ${API_KEY}!`

  test.each([
    ['an error body', json(400, { error: { code: 'BAD', message: echo, token: API_KEY } })],
    [
      'JSON that escapes its characters',
      text(400, `{"error":{"code":"BAD","message":"${echo.replace('_', '\\u005F')}"}}`),
    ],
    ['a text response', text(500, echo)],
    ['a response that is not JSON', text(200, echo)],
    ['an excerpt of a response, which cuts it in two,', text(200, `${'x'.repeat(70)}${API_KEY}`)],
  ])('is redacted when %s echoes it', async (_, step) => {
    const { client } = createTestClient([step], { maxRetries: 0 })
    const error = await caught(client.models.list(), ModelRunError)
    expect(printedForms(error)).not.toContain(API_KEY.slice(0, 10))
    expect(printedForms(error)).toMatch(/\[red/)
  })

  test('is redacted in the error of a job that failed', async () => {
    const job = { data: { status: 'failed', error: { code: 'PROVIDER_FAILURE', message: echo } } }
    const { client, clock } = createTestClient([json(200, job)])
    const error = await caught(clock.run(client.jobs.attach('job_1').result()), JobFailedError)
    expect(printedForms(error)).not.toContain(API_KEY)
    expect(error.message).toContain('the key is [redacted]!')
  })

  test('is redacted in what a fetch function throws, its stack included', async () => {
    const { client } = createTestClient([
      (request) => {
        throw Object.assign(new Error(`cannot send ${request.headers.get('authorization')}`), { request })
      },
    ])
    const error = await caught(client.run('aurora-image', {}), ConnectionError)
    expect(error.message).toContain('cannot send Bearer [redacted]')
    expect(printedForms(error)).not.toContain(API_KEY)
  })

  test.each([
    ['only a placeholder', 'test'],
    ['nothing but the prefix of keys (section 5)', KEY_PREFIXES.live],
  ])('that is %s does not garble results', async (_, apiKey) => {
    const { client } = createTestClient([json(200, { data: { status: `${apiKey}ed` } })], { apiKey })
    await expect(client.jobs.get('job_1')).resolves.toEqual({ status: `${apiKey}ed` })
    const failing = createTestClient([text(400, `keys start with ${apiKey}`)], { apiKey })
    await expect(failing.client.models.list()).rejects.toMatchObject({ body: `keys start with ${apiKey}` })
  })

  test('that the function of the caller cannot give is explained in the words of that function', async () => {
    const apiKey = () => {
      throw new ConfigurationError({ message: 'The file .env has no key.' })
    }
    const { client } = createTestClient([], { apiKey })
    const error = await caught(client.submit('aurora-image', {}), ConfigurationError)
    expect(error.message).toBe(
      'POST /v1/models/aurora-image/run was not sent, because the file .env has no key. The run was not sent: nothing is charged.',
    )
  })
})

test.each<[string, RunOptions & { abortMs?: number }, string, number]>([
  ['the time limit of an attempt', { timeoutMs: 20_000 }, 'AttemptTimeoutError', 20_000],
  ['the abort of a call', { abortMs: 700 }, 'AbortedError', 700],
  ['the deadline of a call', { deadlineMs: 2_000 }, 'DeadlineExceededError', 2_000],
])('a fetch that does not mind its signal does not outlive %s', async (...row) => {
  const [, { abortMs = Number.POSITIVE_INFINITY, ...options }, name, afterMs] = row
  const { client, clock } = createTestClient([], { fetch: () => new Promise<Response>(() => {}), maxRetries: 0 })
  const controller = new AbortController()
  startTimer(clock, abortMs, () => controller.abort())
  const run = client.run('aurora-image', {}, { signal: controller.signal, ...options })
  await expect(clock.run(run)).rejects.toMatchObject({ name, submission: 'unknown' })
  expect([clock.elapsedMs(), clock.timerCount]).toEqual([afterMs, 0])
})

test.each<[RunOptions, string]>([
  [{ timeoutMs: 100, mode: 'async' }, 'within 100 ms.'],
  [{ deadlineMs: 50 }, 'within deadlineMs (50 ms).'],
])('an `apiKey` that never resolves is named in the error of a call with %j', async (options, limit) => {
  const { client, clock } = createTestClient([], { apiKey: () => new Promise<never>(() => {}) })
  const error = await caught<ModelRunError>(clock.run(client.run('aurora-image', {}, options)), ModelRunError)
  expect(error).toMatchObject({ submission: 'not_sent', name: expect.stringMatching(/Timeout|Deadline/) })
  expect(error.message).toContain(`${limit} The function \`apiKey\` did not return in time`)
})

test('the attempts of a call leave nothing on its signal, which may serve long polls after them', async () => {
  const { core, clock } = createTestCore([text(500, ''), json(200, MODELS)])
  const scope = openScope({ clock })
  const operation = { route: ROUTES.listModels, read: () => undefined }
  await clock.run(core.transport.call(operation, { scope, options: {} }))
  expect(getEventListeners(scope.signal, 'abort')).toHaveLength(0)
})

test.each([
  ['not_sent', 'without a connection', true],
  ['unknown', 'whose writing is not reported, as that of HTTP/2 was not', false],
])('a run is %s when its request fails %s', async (submission, _, isUnconnected) => {
  const fail = () => {
    const error = new Error('closed')
    const request = { method: 'POST', path: '/v1/models/aurora-image/run' }
    channel('undici:request:create').publish({ request })
    if (isUnconnected) channel('undici:client:connectError').publish({ error })
    channel('undici:request:error').publish({ request, error })
    throw new TypeError('fetch failed', { cause: error })
  }
  const { client } = createTestClient([fail], { maxRetries: 0 })
  expect((await caught(submit(client), ConnectionError)).submission).toBe(submission)
})

test('a run that was rejected is that also when a deadline passes before it is sent again', async () => {
  const keys = [Promise.resolve('sk_test_0123456789abcdef'), new Promise<never>(() => {})]
  const apiKey = () => keys.shift() ?? ''
  const { client, clock } = createTestClient([text(429, '')], { apiKey, random: () => 1 })
  const call = client.run('aurora-image', {}, { deadlineMs: 700 })
  const error = await caught<Error>(clock.run(call), DeadlineExceededError)
  expect(error).toMatchObject({ submission: 'rejected', attempts: [{ status: 429 }, {}] })
  expect(error.message).not.toContain('was not sent')
})
