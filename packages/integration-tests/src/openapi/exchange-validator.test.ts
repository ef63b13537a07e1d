import { fixtures } from '@modelrun/contract/fixtures'
import { expect, it } from 'vitest'
import { checkDelivery, checkExchange, type Exchange } from './exchange-validator.ts'

interface ExchangeOptions {
  method?: string
  target?: string
  key?: string
  /** Content type of the request. */
  as?: string
  /** Body of the request; a string goes as it is. */
  sent?: unknown
  status?: number
  /** Body of the response; a string goes as it is. */
  body?: unknown
  type?: string
}

/** An exchange that reads a list of models, with changes. */
function exchange(options: ExchangeOptions): Exchange {
  const { method = 'GET', target = '/v1/models', key = 'Bearer sk_test_1', as = 'application/json' } = options
  const { sent = '', status = 200, body = fixtures.models.listFirstPage.body, type = 'application/json' } = options
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const headers = { 'content-type': as, ...(key && { authorization: key }) }
  return {
    path: target.replace(/\?.*/, ''),
    request: new Request(`https://service.test${target}`, { method, headers }),
    requestText: textOf(sent),
    response: new Response(null, { status, headers: { 'content-type': type } }),
    responseText: textOf(body),
  }
}

const { runs, models, jobs } = fixtures
const { output, ...withoutOutput } = runs.completed.body
const run = { method: 'POST', target: '/v1/models/aurora-image/run', sent: { input: {} }, body: runs.completed.body }
const job = { target: '/v1/jobs/job_1', body: jobs.succeeded.body }
const cancel = { ...job, method: 'DELETE', status: 204 }
const withSlash = { target: '/v1/models/north%2Fretouch', body: models.imageEditing.body }
const jobWith = (data: object, more: ExchangeOptions = {}) => ({ ...job, body: { data }, ...more })
const unavailable = { error: { code: 'UNAVAILABLE', message: 'Later.' } }

it.each<[what: string, options: ExchangeOptions]>([
  ['a model whose id has a slash', withSlash],
  ['a run that continues', { ...run, status: 202, body: runs.processingSlow.body }],
  ['a job with a status and fields that are not shown', jobWith({ status: 'paused', since: 1 })],
  ['a cancel without a body', { ...cancel, body: '' }],
  ['an error that is not shown', { status: 503, body: unavailable }],
])('the document allows %s', (_what, options) => {
  expect(checkExchange(exchange(options))).toEqual([])
})

it.each<[what: string, options: ExchangeOptions, violation: RegExp]>([
  ['a field is missing', { ...run, body: withoutOutput }, /must have required property 'output'/],
  ['`succeeded` stands for `completed`', { ...run, body: { ...run.body, status: 'succeeded' } }, /constant/],
  ['a job succeeded without output', jobWith({ status: 'succeeded' }), /'output'/],
  ['a job failed without error', jobWith({ status: 'failed' }), /'error'/],
  ['an error has another form', { status: 500, body: { message: 'x' } }, /'error'/],
  ['204 comes with a body', { ...cancel, body: '{}' }, /must have no body/],
  ['the body is HTML', { body: '<html>', type: 'text/html' }, /text\/html\) has no schema/],
  ['the path is unknown', { target: '/v1/keys' }, /has no GET \/v1\/keys/],
  ['a query parameter is unknown', { target: '/v1/models?page=2' }, /no query parameter page/],
  ['a query parameter is out of range', { target: '/v1/models?limit=101' }, /limit: \/ must be <= 100/],
  ['there is no key', { key: '' }, /no bearer token/],
  ['a member of the request is unknown', { ...run, sent: { input: {}, webhookUrl: 'x' } }, /no member webhookUrl/],
  ['a member of the request is missing', { ...run, sent: {} }, /'input'/],
  ['the request has another type', { ...run, as: 'text/plain' }, /text\/plain\) has no/],
  ['the request has a body where none belongs', { ...job, sent: { x: 1 } }, /no request body here/],
])('it is a violation when %s', (_what, options, violation) => {
  expect(checkExchange(exchange(options)).join('\n')).toMatch(violation)
})

const { unknownStatus, ...deliveries } = fixtures.webhooks
const { succeeded } = deliveries

it.each(Object.entries(deliveries))('a delivery like %s is right', (_, { body }) => {
  expect(checkDelivery(JSON.stringify(body))).toEqual([])
})

it.each([
  ['has no output', { ...succeeded.body, output: undefined }],
  ['has a local time', { ...succeeded.body, completed_at: '2026-01-01 10:00' }],
  ['has the status `completed`', { ...succeeded.body, status: 'completed' }],
  ['has a status that is not shown', unknownStatus.body],
  ['failed without error', { job_id: 'job_1', status: 'failed' }],
])('a delivery that %s is a violation', (_, body) => {
  expect(checkDelivery(JSON.stringify(body))).not.toEqual([])
})
