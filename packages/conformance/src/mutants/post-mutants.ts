import type { Deliver, ReferenceServer } from '@modelrun/reference-server'
import { sleep } from '../clock.ts'
import { at } from '../json.ts'
import { isDone, jobOf, onDelivery, posts } from './edits.ts'
import { isFor, liar, type Mutant, type Mutation, put, type Send, status, take } from './mutation.ts'

const SUCCESS = '6: a success delivery holds job_id, status, output, credits_used, completed_at'
const FAILURE = '6: a failure delivery holds job_id, status, error with code and message'
const URL_GIVEN = '4.3 rule 3: the result is POSTed to the webhook_url that was given'
const SENT = '6: the delivery is sent once a job finishes'
const NO_RETRY = '6 rule 2: a failed delivery is not retried'
const POLLING = '6 rule 4: receivers can always fall back to polling'
const EMITTED = '6 rule 6: emitted by the run operation when webhook_url is present'

type Body = Record<string, unknown>
const succeeded = ({ status: word }: Body) => word === 'succeeded'
const failed = ({ status: word }: Body) => word === 'failed'
const success = (edit: (body: Body) => unknown) => posts(({ body }) => edit(body), succeeded)
const failure = (edit: (body: Body) => unknown) => posts(({ body }) => edit(body), failed)
const set = (name: string, value: unknown) => (body: Body) => {
  body[name] = value
}
const lost = () => Promise.resolve(new Response())
const bodyOf = (init: RequestInit): Body => JSON.parse(String(init.body))

/** Sends it again when it was answered like this. */
function retries(isRefused: (code: number) => boolean): Mutation {
  return onDelivery(async (deliver, url, init) => {
    const answer = await deliver(url, init)
    return isRefused(answer.status) ? deliver(url, init) : answer
  })
}

/** Does not deliver what some runs asked for. */
function forgets(isForgotten: (body: unknown) => boolean): Mutation {
  return {
    wrap: (send) => async (request) => {
      if (isFor(request, 'runModel') && isForgotten(request.body)) {
        const { webhook_url: url, ...body } = request.body as Body
        const answer = await send({ ...request, body: { ...body, sync: false } })
        if (answer.status < 300 && url !== undefined && body.sync === undefined) {
          answer.status = 202
          put('', (json: object) => ({ ...json, status: 'processing', message: 'Poll the job.' }))(answer, request)
        }
        return answer
      }
      return send(request)
    },
  }
}

/** Changes what is read of jobs whose delivery was answered like this. */
function losesJobs(
  isLost: (answer: 'refused' | 'silent' | 'accepted') => boolean,
  ...edits: ReturnType<typeof put>[]
): Mutation {
  const lostJobs = new Set<unknown>()
  return {
    tamper: (deliver: Deliver) => async (url, init) => {
      const { job_id: id } = bodyOf(init)
      init.signal?.addEventListener('abort', () => isLost('silent') && lostJobs.add(id))
      const answer = await deliver(url, init)
      if (isLost(answer.ok ? 'accepted' : 'refused')) lostJobs.add(id)
      return answer
    },
    wrap: (send: Send) => async (request) => {
      const answer = await send(request)
      if (isFor(request, 'getJob') && lostJobs.has(jobOf(request))) for (const edit of edits) edit(answer, request)
      return answer
    },
  }
}

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

/** Delivers also what was run without a `webhook_url`. */
function deliversEverything(): Mutation {
  let known: string | undefined
  let post: Deliver | undefined
  return {
    tamper: (deliver) => {
      post = deliver
      return deliver
    },
    wrap: (send: Send, _: ReferenceServer) => async (request) => {
      const url = at(request.body, '/webhook_url')
      if (typeof url === 'string') known = url
      const answer = await send(request)
      if (isFor(request, 'getJob') && isDone(answer) && known !== undefined) {
        const body = JSON.stringify({ job_id: jobOf(request), status: 'succeeded' })
        await post?.(known, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      }
      return answer
    },
  }
}

/** Delivers a success for cancelled jobs, at once or when they would have ended. */
function deliversCancelled(ms: number): Mutation {
  let post: Deliver | undefined
  const urls = new Map<unknown, string>()
  return {
    tamper: (deliver) => {
      post = deliver
      return deliver
    },
    wrap: (send, server) => async (request) => {
      const answer = await send(request)
      const url = at(request.body, '/webhook_url')
      if (isFor(request, 'runModel') && typeof url === 'string') urls.set(at(answer.json, '/job_id'), url)
      const wanted = isFor(request, 'cancelJob') ? urls.get(jobOf(request)) : undefined
      if (wanted === undefined) return answer
      const body = JSON.stringify({ job_id: jobOf(request), status: 'succeeded', output: { type: 'image', items: [] } })
      server.clock.setTimeout(() => void post?.(wanted, { method: 'POST', body }), ms)
      return answer
    },
  }
}

/** Delivers when a run is taken, before anything has ended. */
function deliversEarly(): Mutation {
  let post: Deliver | undefined
  return {
    tamper: (deliver) => {
      post = deliver
      return lost
    },
    wrap: (send) => async (request) => {
      const answer = await send(request)
      const url = at(request.body, '/webhook_url')
      const id = at(answer.json, '/job_id')
      if (!isFor(request, 'runModel') || typeof url !== 'string' || answer.status >= 300) return answer
      const output = { type: 'image', items: [{ type: 'image', url: 'https://files.example/0.png' }] }
      const body = { job_id: id, status: 'succeeded', output, credits_used: 4, completed_at: '2026-01-01T00:00:00Z' }
      void post?.(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      return answer
    },
  }
}

/** Webhook deliveries: bodies, addresses, refusals, cancels. */
export const POST_MUTANTS: readonly Mutant[] = [
  liar(SUCCESS, 'delivers a number as job_id', success(set('job_id', 7))),
  liar(SUCCESS, 'delivers request_id as job_id', success(set('job_id', 'req_1'))),
  liar(SUCCESS, 'delivers no status', success(set('status', undefined))),
  liar(SUCCESS, 'delivers the status done', success(set('status', 'done'))),
  liar(SUCCESS, 'delivers null as output', success(set('output', null))),
  liar(
    SUCCESS,
    'delivers a list as output',
    success((body) => set('output', [at(body, '/output/items/0')])(body)),
  ),
  liar(
    SUCCESS,
    'delivers an output without a type',
    success((body) => set('output', { items: at(body, '/output/items') })(body)),
  ),
  liar(
    SUCCESS,
    'delivers items without a type',
    success((body) => set('output', { type: 'image', items: [{ url: at(body, '/output/items/0/url') }] })(body)),
  ),
  liar(
    SUCCESS,
    'delivers paths',
    success(set('output', { type: 'image', items: [{ type: 'image', url: '/files/0.png' }] })),
  ),
  liar(
    SUCCESS,
    'delivers another type of output than it reads',
    success((body) => set('output', { type: 'audio', items: at(body, '/output/items') })(body)),
  ),
  liar(SUCCESS, 'delivers credits as text', success(set('credits_used', '4'))),
  liar(SUCCESS, 'delivers 0 credits', success(set('credits_used', 0))),
  liar(SUCCESS, 'delivers no time', success(set('completed_at', undefined))),
  liar(SUCCESS, 'delivers a date', success(set('completed_at', '2026-01-01'))),
  liar(SUCCESS, 'delivers a time without a zone', success(set('completed_at', '2026-01-01T00:00:04'))),
  liar(SUCCESS, 'delivers a time of mail', success(set('completed_at', 'Thu, 01 Jan 2026 00:00:04 GMT'))),
  liar(SUCCESS, 'delivers a day that there is not', success(set('completed_at', '2026-02-31T25:00:04Z'))),
  liar(SUCCESS, 'delivers the beginning of time', success(set('completed_at', '1970-01-01T00:00:00Z'))),
  liar(
    SUCCESS,
    'wraps deliveries in data',
    posts((delivery) => Object.assign(delivery, { body: { data: delivery.body } })),
  ),
  liar(FAILURE, 'delivers a failure without job_id', failure(set('job_id', undefined))),
  liar(FAILURE, 'delivers a failure with another job_id', failure(set('job_id', 'job_0'))),
  liar(FAILURE, 'delivers a failure without a status', failure(set('status', undefined))),
  liar(FAILURE, 'delivers a failure as a success', failure(set('status', 'succeeded'))),
  liar(FAILURE, 'delivers a failure without an error', failure(set('error', undefined))),
  liar(FAILURE, 'delivers a failure with a text as the error', failure(set('error', 'PROVIDER_FAILURE'))),
  liar(
    FAILURE,
    'delivers a failure with a code in small letters',
    failure(set('error', { code: 'provider_failure', message: 'It failed.' })),
  ),
  liar(
    FAILURE,
    'delivers a failure with an empty message',
    failure(set('error', { code: 'PROVIDER_FAILURE', message: '' })),
  ),
  liar(
    FAILURE,
    'delivers a failure with a number as a message',
    failure(set('error', { code: 'PROVIDER_FAILURE', message: 500 })),
  ),
  liar(
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers failures by PUT',
    posts((delivery) => Object.assign(delivery, { method: 'PUT' }), failed),
  ),
  liar(
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers failures as a form',
    onDelivery((deliver, url, init) => deliver(url, failed(bodyOf(init)) ? { ...init, body: 'status=failed' } : init)),
  ),
  liar(
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers a list of results',
    onDelivery((deliver, url, init) => deliver(url, { ...init, body: JSON.stringify([bodyOf(init)]) })),
  ),
  liar(
    '6: the delivery is an HTTP POST with a JSON body',
    'delivers by PATCH',
    posts((delivery) => Object.assign(delivery, { method: 'PATCH' })),
  ),
  liar(
    URL_GIVEN,
    'drops the query of a webhook_url',
    posts(({ url }) => (url.search = '')),
  ),
  liar(
    URL_GIVEN,
    'keeps the first parameter of a webhook_url only',
    posts(({ url }) => (url.search = url.search.split('&')[0] ?? '')),
  ),
  liar(
    URL_GIVEN,
    'decodes the query of a webhook_url',
    posts(({ url }) => (url.search = decodeURIComponent(url.search))),
  ),
  liar(
    URL_GIVEN,
    'adds a parameter to a webhook_url',
    posts(({ url }) => url.searchParams.append('event', 'result')),
  ),
  liar(
    URL_GIVEN,
    'adds a slash to the path of a webhook_url',
    posts(({ url }) => (url.pathname += '/')),
  ),
  liar(
    URL_GIVEN,
    'delivers to the root of the receiver',
    posts(({ url }) => (url.pathname = '/')),
  ),
  liar(URL_GIVEN, 'delivers to the URL of an earlier run too', deliversForeign()),
  liar(EMITTED, 'delivers runs without webhook_url too', deliversEverything()),
  liar(
    EMITTED,
    'does not deliver asynchronous runs',
    forgets((body) => at(body, '/sync') === false && at(body, '/webhook_url') !== undefined),
  ),
  liar(EMITTED, 'delivers asynchronous runs only', onlyAsync()),
  liar(SENT, 'delivers when it takes a run', deliversEarly()),
  liar(
    SENT,
    'delivers processing first',
    onDelivery(async (deliver, url, init) => {
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'processing' }) })
      return deliver(url, init)
    }),
  ),
  liar(
    SENT,
    'delivers a failure after the success',
    onDelivery(async (deliver, url, init) => {
      const first = await deliver(url, init)
      await deliver(url, { ...init, body: JSON.stringify({ ...bodyOf(init), status: 'failed' }) })
      return first
    }),
  ),
  liar(SENT, 'delivers every other result', everyOther()),
  liar(
    SENT,
    'delivers no failure of a model that was delivered before',
    onDelivery((deliver, url, init) => (failed(bodyOf(init)) ? lost() : deliver(url, init))),
  ),
  liar(SENT, 'delivers a success for a job that is cancelled', deliversCancelled(0)),
  liar(SENT, 'delivers a success for a cancelled job when it would have ended', deliversCancelled(75_000)),
  liar(
    NO_RETRY,
    'retries after 500',
    retries((code) => code === 500),
  ),
  liar(
    NO_RETRY,
    'retries after 404',
    retries((code) => code === 404),
  ),
  liar(
    NO_RETRY,
    'retries three times',
    onDelivery(async (deliver, url, init) => {
      let answer = await deliver(url, init)
      for (let attempt = 0; attempt < 3 && !answer.ok; attempt++) answer = await deliver(url, init)
      return answer
    }),
  ),
  liar(NO_RETRY, 'retries after 3 seconds', retriesAfter(3_000)),
  liar(NO_RETRY, 'retries after a minute', retriesAfter(60_000)),
  liar(
    POLLING,
    'forgets a job whose delivery was refused',
    losesJobs((answer) => answer === 'refused', status(404)),
  ),
  liar(
    POLLING,
    'fails a job whose delivery was refused',
    losesJobs(
      (answer) => answer === 'refused',
      put('/data', { status: 'failed', error: { code: 'WEBHOOK', message: 'No.' } }),
    ),
  ),
  liar(
    POLLING,
    'drops the output of a job whose delivery was refused',
    losesJobs((answer) => answer === 'refused', take('/data/output')),
  ),
  liar(
    POLLING,
    'forgets a job whose receiver was silent',
    losesJobs((answer) => answer === 'silent', status(404)),
  ),
  liar(
    POLLING,
    'forgets a job that was delivered',
    losesJobs((answer) => answer === 'accepted', status(404)),
  ),
  liar(
    POLLING,
    'drops the output of a job that was delivered',
    losesJobs((answer) => answer === 'accepted', take('/data/output')),
  ),
]

function onlyAsync(): Mutation {
  const wanted = new Set<unknown>()
  return {
    tamper: (deliver) => (url, init) => (wanted.has(bodyOf(init).job_id) ? deliver(url, init) : lost()),
    wrap: (send) => async (request) => {
      const answer = await send(request)
      if (isFor(request, 'runModel') && at(request.body, '/sync') === false) wanted.add(at(answer.json, '/job_id'))
      return answer
    },
  }
}

function everyOther(): Mutation {
  let count = 0
  return onDelivery((deliver, url, init) => (count++ % 2 === 0 ? lost() : deliver(url, init)))
}

/** Retries on the server's clock. */
function retriesAfter(ms: number): Mutation {
  let clock: ReferenceServer['clock'] | undefined
  return {
    wrap: (send, server) => {
      clock = server.clock
      return send
    },
    tamper: (deliver) => async (url, init) => {
      const answer = await deliver(url, init)
      const { signal: _, ...again } = init
      if (!answer.ok && clock !== undefined) void sleep(clock, ms).then(() => deliver(url, again))
      return answer
    },
  }
}
