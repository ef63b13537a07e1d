import { at } from '../../packages/conformance/src/json.ts'
import { onDelivery, posts } from './edits.ts'
import { type Mutation, mutants } from './mutation.ts'

const SUCCESS = '6: a success delivery holds job_id, status, output, credits_used, completed_at'
const FAILURE = '6: a failure delivery holds job_id, status, error with code and message'
const URL_GIVEN = '4.3 rule 3: the result is POSTed to the webhook_url that was given'

type Body = Record<string, unknown>
const succeeded = ({ status: word }: Body) => word === 'succeeded'
const failed = ({ status: word }: Body) => word === 'failed'
const success = (edit: (body: Body) => unknown) => posts(({ body }) => edit(body), succeeded)
const failure = (edit: (body: Body) => unknown) => posts(({ body }) => edit(body), failed)
const set = (name: string, value: unknown) => (body: Body) => {
  body[name] = value
}
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Delivers to a URL what another run is about. */
function deliversForeign(): Mutation {
  const urls: string[] = []
  return onDelivery(async (deliver, url, init) => {
    const [first] = urls
    urls.push(url)
    if (first !== undefined && first !== url) await deliver(first, init)
    return deliver(url, init)
  })
}

/** Bodies and urls of webhook deliveries. */
export const POST_MUTANTS = mutants([
  [SUCCESS, 'delivers a number as job_id', success(set('job_id', 7))],
  [SUCCESS, 'delivers request_id as job_id', success(set('job_id', 'req_1'))],
  [SUCCESS, 'delivers no status', success(set('status', undefined))],
  [SUCCESS, 'delivers the status done', success(set('status', 'done'))],
  [SUCCESS, 'delivers null as output', success(set('output', null))],
  [SUCCESS, 'delivers a list as output', success((body) => set('output', [at(body, '/output/items/0')])(body))],
  [
    SUCCESS,
    'delivers an output without a type',
    success((body) => set('output', { items: at(body, '/output/items') })(body)),
  ],
  [
    SUCCESS,
    'delivers items without a type',
    success((body) => set('output', { type: 'image', items: [{ url: at(body, '/output/items/0/url') }] })(body)),
    'webhooks/output',
  ],
  [
    SUCCESS,
    'delivers paths',
    success(set('output', { type: 'image', items: [{ type: 'image', url: '/files/0.png' }] })),
  ],
  [
    SUCCESS,
    'delivers another type of output than it reads',
    success((body) => set('output', { type: 'audio', items: at(body, '/output/items') })(body)),
    'webhooks/same-result-by-polling',
  ],
  [SUCCESS, 'delivers credits as text', success(set('credits_used', '4'))],
  [SUCCESS, 'delivers 0 credits', success(set('credits_used', 0))],
  [SUCCESS, 'delivers no time', success(set('completed_at', undefined))],
  [SUCCESS, 'delivers a date', success(set('completed_at', '2026-01-01'))],
  [SUCCESS, 'delivers a time without a zone', success(set('completed_at', '2026-01-01T00:00:04'))],
  [SUCCESS, 'delivers a time of mail', success(set('completed_at', 'Thu, 01 Jan 2026 00:00:04 GMT'))],
  [SUCCESS, 'delivers a day that there is not', success(set('completed_at', '2026-02-31T25:00:04Z'))],
  [
    SUCCESS,
    'wraps deliveries in data',
    posts((delivery) => Object.assign(delivery, { body: { data: delivery.body } })),
  ],
  [FAILURE, 'delivers a failure without job_id', failure(set('job_id', undefined))],
  [FAILURE, 'delivers a failure with another job_id', failure(set('job_id', 'job_0')), 'webhooks/one-result'],
  [FAILURE, 'delivers a failure without a status', failure(set('status', undefined))],
  [FAILURE, 'delivers a failure as a success', failure(set('status', 'succeeded'))],
  [FAILURE, 'delivers a failure without an error', failure(set('error', undefined))],
  [FAILURE, 'delivers a failure with a text as the error', failure(set('error', 'PROVIDER_FAILURE'))],
  [
    FAILURE,
    'delivers a failure with a code in small letters',
    failure(set('error', { code: 'provider_failure', message: 'It failed.' })),
  ],
  [
    FAILURE,
    'delivers a failure with an empty message',
    failure(set('error', { code: 'PROVIDER_FAILURE', message: '' })),
  ],
  [
    FAILURE,
    'delivers a failure with a number as a message',
    failure(set('error', { code: 'PROVIDER_FAILURE', message: 500 })),
  ],
  [
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers failures by PUT',
    posts((delivery) => Object.assign(delivery, { method: 'PUT' }), failed),
    'webhooks/post',
  ],
  [
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers failures as a form',
    onDelivery((deliver, url, init) => deliver(url, failed(bodyOf(init)) ? { ...init, body: 'status=failed' } : init)),
  ],
  [
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers a list of results',
    onDelivery((deliver, url, init) => deliver(url, { ...init, body: JSON.stringify([bodyOf(init)]) })),
  ],
  [
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers by PATCH',
    posts((delivery) => Object.assign(delivery, { method: 'PATCH' })),
  ],
  [URL_GIVEN, 'drops the query of a webhook_url', posts(({ url }) => (url.search = ''))],
  [
    URL_GIVEN,
    'keeps the first parameter of a webhook_url only',
    posts(({ url }) => (url.search = url.search.split('&')[0] ?? '')),
  ],
  [URL_GIVEN, 'decodes the query of a webhook_url', posts(({ url }) => (url.search = decodeURIComponent(url.search)))],
  [
    URL_GIVEN,
    'adds a parameter to a webhook_url',
    posts(({ url }) => url.searchParams.append('event', 'result')),
    'webhooks/whole-url',
  ],
  [URL_GIVEN, 'adds a slash to the path of a webhook_url', posts(({ url }) => (url.pathname += '/'))],
  [URL_GIVEN, 'delivers to the root of the receiver', posts(({ url }) => (url.pathname = '/'))],
  [URL_GIVEN, 'delivers to the URL of an earlier run too', deliversForeign()],
])
