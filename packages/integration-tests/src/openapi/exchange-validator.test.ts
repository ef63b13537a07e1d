import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, it } from 'vitest'
import { createExchangeValidator, type Exchange } from './exchange-validator.ts'

const validator = createExchangeValidator()

interface ExchangeOptions {
  method?: string
  target?: string
  headers?: Record<string, string>
  /** Body of the request; a text goes as it is. */
  sent?: unknown
  status?: number
  /** Body of the response; a text goes as it is. */
  responseBody?: unknown
  type?: string
}

const KEY = { authorization: 'Bearer sk_test_1' }

/** An exchange that reads a list of models, with changes. */
function exchange(options: ExchangeOptions = {}): Exchange {
  const {
    method = 'GET',
    target = '/v1/models',
    headers = KEY,
    sent,
    status = 200,
    type = 'application/json',
  } = options
  const { responseBody = fixtures.models.listFirstPage.body } = options
  const url = `https://service.test${target}`
  return {
    path: target.replace(/\?.*/, ''),
    request: new Request(url, { method, headers: { 'content-type': 'application/json', ...headers } }),
    requestText: textOf(sent ?? ''),
    response: new Response(null, { status, headers: { 'content-type': type } }),
    responseText: textOf(responseBody),
  }
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const run = {
  method: 'POST',
  target: '/v1/models/aurora-image/run',
  sent: { input: {} },
  responseBody: fixtures.runs.completed.body,
}
const job = { target: '/v1/jobs/job_1', responseBody: fixtures.jobs.succeeded.body }
const { output, ...withoutOutput } = fixtures.runs.completed.body

describe('an exchange that the document allows has no violation', () => {
  it.each<[what: string, options: ExchangeOptions]>([
    ['a page of models', { target: '/v1/models?limit=5&offset=0&search=fox&category=text-to-image' }],
    [
      'a model whose id has a slash',
      { target: '/v1/models/north%2Fretouch', responseBody: fixtures.models.imageEditing.body },
    ],
    ['a run that finished', run],
    ['a run that continues', { ...run, status: 202, responseBody: fixtures.runs.processingSlow.body }],
    [
      'a job with a status and fields that are not shown',
      { ...job, responseBody: { data: { status: 'paused', since: 1 } } },
    ],
    [
      'a job whose output is null until it succeeds',
      { ...job, responseBody: { data: { status: 'queued', output: null } } },
    ],
    ['a job that is shown with 202', { ...job, status: 202, responseBody: { data: { status: 'processing' } } }],
    ['a cancel without a body', { ...job, method: 'DELETE', status: 204, responseBody: '' }],
    ['a missing key', { headers: {}, status: 401, responseBody: fixtures.errors.unauthorized.body }],
    [
      'an error that is not shown',
      { status: 503, responseBody: { error: { code: 'UNAVAILABLE', message: 'Later.' } } },
    ],
  ])('%s', (_what, options) => {
    expect(validator.checkExchange(exchange(options))).toEqual([])
  })
})

describe('a response that the document does not allow is a violation', () => {
  it.each<[what: string, options: ExchangeOptions, violation: RegExp]>([
    ['a field is missing', { ...run, responseBody: withoutOutput }, /must have required property 'output'/],
    ['a field has another type', { ...job, responseBody: { data: { status: 1 } } }, /data\/status must be string/],
    [
      'a count is not an integer',
      { responseBody: { models: [], total: 0.5, limit: 20, offset: 0 } },
      /total must be integer/,
    ],
    [
      '`succeeded` stands for `completed`',
      { ...run, responseBody: { ...run.responseBody, status: 'succeeded' } },
      /constant/,
    ],
    [
      '200 goes with `processing`',
      { ...run, responseBody: fixtures.runs.processingSlow.body },
      /must match a schema in anyOf/,
    ],
    ['a job succeeded without output', { ...job, responseBody: { data: { status: 'succeeded' } } }, /'output'/],
    [
      'a job succeeded with null',
      { ...job, responseBody: { data: { status: 'succeeded', output: null } } },
      /output must/,
    ],
    ['a job failed without error', { ...job, responseBody: { data: { status: 'failed' } } }, /'error'/],
    ['an error has no code', { status: 404, ...job, responseBody: { error: { message: 'x' } } }, /'code'/],
    ['an error has another form', { status: 500, responseBody: { message: 'x' } }, /'error'/],
    ['the status is no error and not in the document', { status: 201 }, /'error'/],
    ['204 comes with a body', { ...job, method: 'DELETE', status: 204, responseBody: '{}' }, /must have no body/],
    ['the body is not JSON', { responseBody: '{"models":' }, /is no JSON/],
    ['the body is HTML', { responseBody: '<html>', type: 'text/html' }, /text\/html\) has no schema/],
  ])('%s', (_what, options, violation) => {
    expect(validator.checkExchange(exchange({ ...options })).join('\n')).toMatch(violation)
  })
})

describe('a request that the document does not allow is a violation', () => {
  it.each<[what: string, options: ExchangeOptions, violation: RegExp]>([
    ['the path is unknown', { target: '/v1/keys' }, /has no GET \/v1\/keys/],
    ['the method is unknown', { method: 'PUT' }, /has no PUT/],
    ['a query parameter is unknown', { target: '/v1/models?page=2' }, /no query parameter page/],
    ['a query parameter is out of range', { target: '/v1/models?limit=101' }, /limit: \/ must be <= 100/],
    ['a query parameter is no integer', { target: '/v1/models?offset=x' }, /offset: \/ must be integer/],
    ['there is no key', { headers: {} }, /no bearer token/],
    ['a member of the body is unknown', { ...run, sent: { input: {}, webhookUrl: 'x' } }, /no member webhookUrl/],
    ['a member of the body is missing', { ...run, sent: {} }, /'input'/],
    [
      'the body has another type',
      { ...run, headers: { ...KEY, 'content-type': 'text/plain' } },
      /text\/plain\) has no/,
    ],
    ['there is no body', { ...run, sent: '' }, /is no JSON/],
    ['there is a body where none belongs', { ...job, sent: { x: 1 } }, /no request body here/],
  ])('%s', (_what, options, violation) => {
    expect(validator.checkExchange(exchange(options)).join('\n')).toMatch(violation)
  })
})

const { unknownStatus, ...deliveries } = fixtures.webhooks

describe('a delivery', () => {
  it.each(Object.entries(deliveries))('like %s is right', (_, { body }) => {
    expect(validator.checkDelivery(JSON.stringify(body))).toEqual([])
  })

  it.each([
    ['has no output', { ...deliveries.succeeded.body, output: undefined }],
    ['has a local time', { ...deliveries.succeeded.body, completed_at: '2026-01-01 10:00' }],
    ['has the status `completed`', { ...deliveries.succeeded.body, status: 'completed' }],
    ['has a status that is not shown', unknownStatus.body],
    ['failed without error', { job_id: 'job_1', status: 'failed' }],
  ])('that %s is a violation', (_, body) => {
    expect(validator.checkDelivery(JSON.stringify(body))).not.toEqual([])
  })
})
