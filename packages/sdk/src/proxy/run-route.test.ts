import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError, type Submission } from '@modelrun/kit'
import ky from 'ky'
import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { broken, cut, errorResponse, json, type Step, silent, text, unconnected } from '../../test/scripted-service.ts'
import { API_KEY, createTestClient } from '../../test/test-client.ts'
import { createTestProxy, MODEL, model, PRICE, RUN_PATH } from '../../test/test-proxy.ts'

const COMPLETED = fixtures.runs.completed.body
const RUN = { body: { input: { prompt: 'x' } } }

describe('a run of a page (section 4.3)', () => {
  test('that the service has finished gives its output, with an id for this user alone', async () => {
    const { send } = createTestProxy([json(200, { ...COMPLETED, account: 'acme', api_key_id: 7 })])
    const { status, body } = await send(`POST ${RUN_PATH}`, RUN)
    expect([status, body]).toEqual([200, { ...COMPLETED, job_id: expect.stringMatching(/^v1~/) }])
  })

  test.each([200, 202])('that is queued keeps the status %i', async (status) => {
    const { send } = createTestProxy([json(status, fixtures.runs.queued.body)])
    const response = await send(`POST ${RUN_PATH}`, RUN)
    const body = { ...fixtures.runs.queued.body, job_id: expect.stringMatching(/^v1~/) }
    expect(response).toMatchObject({ status, body })
  })

  test('that continues names the id of the page in its message, and not the one of the service', async () => {
    const { send } = createTestProxy([json(202, fixtures.runs.processingSlow.body)])
    const { body, text: shown } = await send(`POST ${RUN_PATH}`, RUN)
    const { job_id } = body as { job_id: string }
    expect(body).toMatchObject({ status: 'processing', message: `Poll GET /v1/jobs/${job_id} for the result.` })
    expect(shown).not.toContain(fixtures.runs.processingSlow.body.job_id)
  })

  test('is not lost when a hook of the client fails after it', async () => {
    const fail = () => Promise.reject(new Error('x'))
    const hooks = { afterResponse: [fail] }
    const { client } = createTestClient([json(200, COMPLETED)], { ky: ky.extend({ hooks }) })
    const { status, body } = await createTestProxy([], { client }).send(`POST ${RUN_PATH}`, RUN)
    expect([status, body]).toMatchObject([202, { job_id: expect.stringMatching(/^v1~/), status: 'processing' }])
  })

  test.each<[string, Step]>([
    ['was cut after the id', cut(200, '{"job_id":"job_1","output":{')],
    ['has a status that is not known', json(200, { job_id: 'job_1', status: 'dreaming' })],
    ['is an error that names the job', json(502, { job_id: 'job_1', error: { code: 'FAILURE', message: 'x' } })],
  ])('is not lost when the response %s', async (_, step) => {
    const succeeded = json(200, { data: { status: 'succeeded', output: COMPLETED.output } })
    const { pageOf, service } = createTestProxy([step, succeeded])
    const response = await pageOf('anna').models.run(MODEL, RUN.body)
    expect([response.status, response.job_id]).toEqual([
      expect.stringMatching(/unknown|processing/),
      expect.stringMatching(/^v1~/),
    ])
    await expect(pageOf('anna').jobs.get(response.job_id)).resolves.toMatchObject({ status: 'succeeded' })
    expect(service.received.at(-1)?.path).toBe('/v1/jobs/job_1')
  })

  test('continues when the page leaves', async () => {
    const { pageOf, service } = createTestProxy([silent()])
    const controller = new AbortController()
    const run = caught(pageOf('anna').models.run(MODEL, RUN.body, { signal: controller.signal }), ModelRunError)
    while (service.received.length === 0) await new Promise(setImmediate)
    controller.abort()
    await expect(run).resolves.toMatchObject({ name: 'AbortedError', submission: 'unknown' })
    expect(service.received[0]?.request.signal.aborted).toBe(false)
  })

  test.each([true, undefined])(
    'is asynchronous where runs are not to be held, whatever the page says (%j)',
    async (sync) => {
      const { send, service } = createTestProxy([json(202, fixtures.runs.queued.body)], { holdRuns: false })
      await send(`POST ${RUN_PATH}`, { body: { ...RUN.body, sync } })
      expect(service.received[0]?.body).toEqual({ input: { prompt: 'x' }, sync: false })
    },
  )

  test('may take as long as the service holds it: 55 s', async () => {
    const { pageOf, clock } = createTestProxy([
      () => new Promise((resolve) => clock.setTimeout(() => resolve(Response.json(COMPLETED)), 55_000)),
    ])
    const run = pageOf('anna').models.run(MODEL, RUN.body)
    await clock.advance(55_000)
    await expect(run).resolves.toMatchObject({ status: 'completed' })
  })
})

/** A failure between the proxy and the service. */
interface Failure {
  step: Step
  /** What the client of the page concludes. */
  submission: Submission
  /** Status of the proxy's response. */
  status: number
  /** How often the client of the page has the run sent: it sends it again at most twice. */
  posts: number
}

const unknown = (step: Step): Failure => ({ step, submission: 'unknown', status: 502, posts: 1 })
const rejected = (step: Step, status: number, posts = 1): Failure => ({ step, submission: 'rejected', status, posts })

const FAILURES: Record<string, Failure> = {
  'cannot be connected to': rejected(unconnected('ECONNREFUSED'), 503, 3),
  'breaks the connection': unknown(broken('ECONNRESET')),
  'responds with a web page': unknown(text(200, '<html>')),
  'responds with half of a body': unknown(cut(200, '{"output"')),
  redirects: unknown(text(302, null, { location: 'https://evil.example.com/' })),
  'fails with 500': unknown(errorResponse(500, 'INTERNAL_ERROR')),
  'fails with 504': unknown(text(504, '<html>')),
  'fails with 503': unknown(errorResponse(503, 'UNAVAILABLE')),
  'is busy with 503': rejected(errorResponse(503, 'UNAVAILABLE', { 'retry-after': '2' }), 503, 3),
  // Not passed on: Chromium sends a request again after a 408, without asking the page.
  'gives up with 408': unknown(errorResponse(408, 'TIMEOUT')),
  'limits with 429': rejected(errorResponse(429, 'RATE_LIMITED', { 'retry-after': '2' }), 429, 3),
  'limits with 429, and names a job, which may be that of another user': unknown(
    json(429, { error: { code: 'BUSY', message: 'x', job_id: 'job_9' } }),
  ),
  'does not accept the input': rejected(errorResponse(400, 'VALIDATION_ERROR'), 400),
  'does not have the model': rejected(errorResponse(404, 'NOT_FOUND'), 404),
  'has no credits left': rejected(errorResponse(402, 'INSUFFICIENT_CREDITS'), 402),
  'does not know the key': rejected(errorResponse(401, 'UNAUTHORIZED'), 503),
  'does not permit the run': rejected(errorResponse(403, 'FORBIDDEN'), 503),
  'is another server': rejected(errorResponse(421, 'MISDIRECTED'), 503),
  'is behind a gateway that does not take the body': rejected(text(413, '<html>'), 413),
  'is behind a gateway that limits with 429': rejected(text(429, '<html>'), 429, 3),
  'is behind a gateway that does not let the proxy in': rejected(text(403, '<html>'), 503),
  'is behind a gateway whose page says to come back': unknown(text(503, '<html>', { 'retry-after': '5' })),
}

describe.each(Object.entries(FAILURES))('when the service %s', (_, { step, submission, status, posts }) => {
  test(`the client of the page takes the run for ${submission}, and has it sent ${posts} times`, async () => {
    const { pageOf, service, clock } = createTestProxy([step])
    const error = await clock.run(caught(pageOf('anna').models.run(MODEL, RUN.body), ModelRunError))
    expect(error).toMatchObject({ submission, status })
    expect(service.received).toHaveLength(posts)
  })

  test('the proxy sends it once, and gives back what was reserved when it certainly did not count', async () => {
    const { send, service, proxy } = createTestProxy([model(), step], { budget: { credits: 10 } })
    expect((await send(`POST ${RUN_PATH}`, RUN)).status).toBe(status)
    expect(service.received.filter(({ method }) => method === 'POST')).toHaveLength(1)
    const { used } = await proxy.balance({ user: 'anna' })
    expect(used).toBe(submission === 'unknown' ? PRICE : 0)
  })
})

test.each([402, 403, 413])('a page of a gateway with %i rejects a run, and the operator gets it', async (status) => {
  const { pageOf, errors } = createTestProxy([text(status, '<html>')])
  const error = await caught(pageOf('anna').models.run(MODEL, RUN.body), ModelRunError)
  expect(error).toMatchObject({ apiCode: 'GATEWAY_REJECTION', submission: 'rejected' })
  expect(error.message).toContain('The run was rejected, as it seems by something in front of the service.')
  expect(errors).toMatchObject([{ status, body: '<html>' }])
})

describe('an error of the service', () => {
  const bad = (message: string, more: object = {}) => json(400, { error: { code: 'BAD', message, ...more } })
  test.each<[string, Step]>([
    ['prints the key', bad(`the header Bearer ${API_KEY} is bad`)],
    ['prints another key', bad('the key sk_live_abc123 is over its limit')],
    ['has a stack trace', bad('Error: x\n  at /srv/api.internal/app.js')],
    ['names hosts', bad('see https://api.internal/v1')],
    ['is a web page', text(400, '<html>api.internal sk_live_abc123</html>')],
    ['has more members', bad('x', { debug: 'api.internal', trace: 'sk_live_abc123' })],
    ['has members beside it', json(400, { error: { code: 'BAD', message: 'x' }, trace: 'sk_live_abc123' })],
    ['has a code that is a text', bad('x', { code: 'see api.internal or sk_live_abc123' })],
    ['contains the balance', json(402, { error: { code: 'INSUFFICIENT_CREDITS', message: '12 of 1000 are left' } })],
    ['redirects', text(307, null, { location: 'https://api.internal/' })],
    ['sets a cookie', errorResponse(400, 'BAD', { 'set-cookie': 'a=1', server: 'api.internal' })],
  ])('that %s does not show it to the page', async (_, step) => {
    const { send } = createTestProxy([step])
    const { text: shown, headers } = await send(`POST ${RUN_PATH}`, RUN)
    const all = `${shown}${JSON.stringify([...headers])}`
    for (const secret of [API_KEY, 'sk_live_abc123', 'api.internal', 'example.com', '12 of 1000', 'set-cookie']) {
      expect(all).not.toContain(secret)
    }
  })

  const INSTEAD = 'The service rejects the request.'
  test.each([
    ['/input/num_images: must be < 5, not 7.', '/input/num_images: must be < 5, not 7.'],
    [`The key ${API_KEY} is over its limit.`, 'The key [redacted] is over its limit.'],
    ['ws://a and postgres://user:pass@db/x', '[url] and [url]'],
    ['nginx: <h1>502</h1>', INSTEAD],
    ['', INSTEAD],
    ['x'.repeat(501), INSTEAD],
  ])('with the message %.40j shows %j', async (message, shown) => {
    const { body } = await createTestProxy([bad(message)]).send(`POST ${RUN_PATH}`, RUN)
    expect(body).toMatchObject({ error: { message: shown } })
  })

  test('shows its code, its text for people, its id and when to come again', async () => {
    const error = { code: 'RATE_LIMITED', message: 'Too many requests.' }
    const step = json(429, { error }, { 'retry-after': '2', 'x-request-id': 'req-7' })
    const { status, body, headers } = await createTestProxy([step]).send(`POST ${RUN_PATH}`, RUN)
    expect([status, body]).toEqual([429, { error }])
    expect([headers.get('retry-after'), headers.get('x-request-id')]).toEqual(['2', 'req-7'])
  })

  test('reaches the operator when it is not about what the page sent', async () => {
    const operator = createTestProxy([errorResponse(401, 'UNAUTHORIZED')])
    await operator.send(`POST ${RUN_PATH}`, RUN)
    expect(operator.errors).toMatchObject([{ name: 'AuthenticationError' }])
    const page = createTestProxy([errorResponse(400, 'VALIDATION_ERROR')])
    await page.send(`POST ${RUN_PATH}`, RUN)
    expect(page.errors).toEqual([])
  })
})
