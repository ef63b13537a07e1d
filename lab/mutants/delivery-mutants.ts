import {
  deliversAfter,
  deliversCancelled,
  deliversEarly,
  deliversEverything,
  everyOther,
  forgets,
  losesJobs,
  onlyAsync,
  retriesAfter,
} from './delivery-mutations.ts'
import { delivery, type Edit, isAsync, onDelivery, raw, says } from './edits.ts'
import type { Mutants, Mutation } from './mutation.ts'

const success = delivery.where(says('succeeded'))
const failure = delivery.where(says('failed'))
const lost = () => Promise.resolve(new Response())
const isFailure = ({ body }: RequestInit) => JSON.parse(String(body)).status === 'failed'
const FAILED = { status: 'failed', error: { code: 'WEBHOOK', message: 'No.' } }

const by = (method: string): Edit => {
  return (_, request) => void Object.assign(request, { method })
}
const toUrl = (change: (url: URL) => unknown) => delivery.edit((_, { url }) => void change(url))

/** Repeats a delivery that got this response, so many times. */
function retries(isRejected: (code: number) => boolean, times = 1): Mutation {
  return onDelivery(async (deliver, url, init) => {
    let response = await deliver(url, init)
    for (let attempt = 0; attempt < times && isRejected(response.status); attempt++) response = await deliver(url, init)
    return response
  })
}

function retriesSilent(): Mutation {
  return onDelivery(async (deliver, url, init) => {
    const { signal, ...again } = init
    signal?.addEventListener('abort', () => void deliver(url, again))
    return deliver(url, init)
  })
}

/** Delivers a result that says this too, before its own or afterwards. */
function deliversTwo(status: string, order: 'before' | 'after'): Mutation {
  return onDelivery(async (deliver, url, init) => {
    const other = { ...init, body: JSON.stringify({ ...JSON.parse(String(init.body)), status }) }
    const [first, second] = order === 'before' ? [other, init] : [init, other]
    const response = await deliver(url, first)
    await deliver(url, second)
    return response
  })
}

/** Delivers to the URL of the first run what another run is about. */
function deliversForeign(): Mutation {
  let first: string | undefined
  return onDelivery(async (deliver, url, init) => {
    first ??= url
    if (first !== url) await deliver(first, init)
    return deliver(url, init)
  })
}

/** Webhook deliveries: their bodies and URLs, when they are sent, how often, and what can be polled then. */
export const DELIVERY_MUTANTS: Mutants = {
  'webhooks/delivered': {
    'delivers nothing': onDelivery(lost),
    'adds a slash to the path of a webhook_url': toUrl((url) => (url.pathname += '/')),
    'delivers to the root of the receiver': toUrl((url) => (url.pathname = '/')),
    'does not deliver asynchronous runs': forgets(isAsync),
    'delivers asynchronous runs only': onlyAsync(),
    'delivers every other result': everyOther(),
    'delivers no failure of a model that was delivered before': onDelivery((deliver, url, init) =>
      isFailure(init) ? lost() : deliver(url, init),
    ),
    'delivers a minute after the end': deliversAfter(60_000),
  },
  'webhooks/post': {
    'delivers by PUT': delivery.edit(by('PUT')),
    'delivers a form': delivery.edit(raw('status=succeeded')),
    'delivers failures by PUT': failure.edit(by('PUT')),
    'delivers failures as a form': failure.edit(raw('status=failed')),
    'delivers a list of results': delivery.put('', (body: unknown) => [body]),
    'delivers by PATCH': delivery.edit(by('PATCH')),
  },
  'webhooks/one-result': {
    'delivers another job_id': delivery.put('/job_id', 'job_0'),
    'delivers id instead of job_id': delivery.put('', ({ job_id: id, ...body }: { job_id: string }) => ({
      id,
      ...body,
    })),
    'delivers the status completed': delivery.put('/status', 'completed'),
    'delivers the status error': delivery.put('/status', 'error'),
    'delivers a number as job_id': success.put('/job_id', 7),
    'delivers request_id as job_id': success.put('/job_id', 'req_1'),
    'delivers no status': success.take('/status'),
    'delivers the status done': success.put('/status', 'done'),
    'wraps deliveries in data': delivery.put('', (data: unknown) => ({ data })),
    'delivers a failure without job_id': failure.take('/job_id'),
    'delivers a failure with another job_id': failure.put('/job_id', 'job_0'),
    'delivers a failure without a status': failure.take('/status'),
    'delivers a failure as a success': failure.put('/status', 'succeeded'),
    'delivers to the URL of an earlier run too': deliversForeign(),
    'delivers runs without webhook_url too': deliversEverything(),
    'delivers processing first': deliversTwo('processing', 'before'),
    'delivers a failure after the success': deliversTwo('failed', 'after'),
    'fails a job whose delivery was rejected': losesJobs('rejected').put('/data', FAILED),
  },
  'webhooks/output': {
    'delivers no output': success.take('/output'),
    'delivers null as output': success.put('/output', null),
    'delivers a list as output': success.put('/output', (output: unknown) => [output]),
    'delivers an output without a type': success.take('/output/type'),
    'delivers items without a type': success.take('/output/items/*/type'),
    'delivers paths': success.put('/output/items/*/url', '/files/0.png'),
  },
  'webhooks/credits': {
    'delivers no credits_used': success.take('/credits_used'),
    'delivers more credits than the price': delivery.put('/credits_used', 40),
    'delivers credits as text': success.put('/credits_used', '4'),
    'delivers 0 credits': success.put('/credits_used', 0),
  },
  'webhooks/completed-at': {
    'delivers a time in local time': delivery.put('/completed_at', '2026-01-01T01:00:04+01:00'),
    'delivers a time in seconds': delivery.put('/completed_at', 1_767_225_604),
    'delivers no time': success.take('/completed_at'),
    'delivers a date': success.put('/completed_at', '2026-01-01'),
    'delivers a time without a zone': success.put('/completed_at', '2026-01-01T00:00:04'),
    'delivers a time of mail': success.put('/completed_at', 'Thu, 01 Jan 2026 00:00:04 GMT'),
    'delivers a day that there is not': success.put('/completed_at', '2026-02-31T25:00:04Z'),
  },
  'webhooks/failure-code': {
    'delivers another code': delivery.put('/error', { code: 'FAILED', message: 'no' }),
    'delivers a failure without an error': failure.take('/error'),
    'delivers a failure with a text as the error': failure.put('/error', 'PROVIDER_FAILURE'),
    'delivers a failure with a code in small letters': failure.put('/error/code', 'provider_failure'),
  },
  'webhooks/failure-error': {
    'delivers no message': delivery.put('/error', { code: 'PROVIDER_FAILURE' }),
    'delivers a failure with an empty message': failure.put('/error', { code: 'PROVIDER_FAILURE', message: '' }),
    'delivers a failure with a number as a message': failure.put('/error', { code: 'PROVIDER_FAILURE', message: 500 }),
  },
  'webhooks/not-retried': {
    'retries a delivery without a response': retriesSilent(),
    'retries after 500': retries((code) => code === 500),
    'retries after 404': retries((code) => code === 404),
    'retries three times': retries((code) => code >= 400, 3),
    'retries after 3 seconds': retriesAfter(3_000),
    'retries after a minute': retriesAfter(60_000),
  },
  'webhooks/same-result-by-polling': {
    'delivers another type of output than it reads': success.put('/output/type', 'audio'),
  },
  'webhooks/whole-url': {
    'drops the query of a webhook_url': toUrl((url) => (url.search = '')),
    'keeps the first parameter of a webhook_url only': toUrl((url) => (url.search = url.search.split('&')[0] ?? '')),
    'decodes the query of a webhook_url': toUrl((url) => (url.search = decodeURIComponent(url.search))),
    'adds a parameter to a webhook_url': toUrl(({ searchParams }) => searchParams.append('event', 'result')),
  },
  'webhooks/no-success-when-cancelled': {
    'delivers when it takes a run': deliversEarly(),
    'delivers a success for a job that is cancelled': deliversCancelled(0),
    'delivers a success for a cancelled job when it would have ended': deliversCancelled(75_000),
  },
  'jobs/every-poll': {
    'forgets a job whose delivery was rejected': losesJobs('rejected').status(404),
    'forgets a job whose receiver was silent': losesJobs('silent').status(404),
    'forgets a job that was delivered': losesJobs('accepted').status(404),
  },
  'jobs/every-output': {
    'drops the output of a job whose delivery was rejected': losesJobs('rejected').take('/data/output'),
    'drops the output of a job that was delivered': losesJobs('accepted').take('/data/output'),
  },
}
