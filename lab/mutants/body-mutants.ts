import { sleep } from '../../packages/conformance/src/clock.ts'
import { at, isRecord } from '../../packages/conformance/src/json.ts'
import { contentType, hasFailed, instead, isCompleted, isHeld, isHooked, isQueued, raw } from './edits.ts'
import {
  type Edit,
  edited,
  editRequests,
  isFor,
  type Mutation,
  mutants,
  put,
  type Row,
  status,
  take,
  type WireResponse,
  when,
} from './mutation.ts'

const FINISHED = '4.3: the 200 body holds job_id, request_id, status, model_id, output, duration_ms, credits_used'
const HELD = '4.3: the 202 body of a slow run holds job_id, request_id, status, model_id, message'
const HOOKED = '4.3: the 202 body of a run with webhook_url holds job_id, request_id, status, model_id, message'
const ACCEPTED = '4.3: the body of a run with sync: false holds job_id, request_id, status (queued), model_id'
const OUTPUT = '2.5: an output has a type and items, each with type and url'
const JSON_API = '1: the interface is an HTTP JSON API'
const DURATION = '2.4: duration_ms is the processing time in milliseconds'
const ONE_JOB = '2.4: a job is created by each run request'
const WAITS = '1: by default the call waits for the result and returns it directly'
const HOLD = '8: synchronous wait: about 55 seconds, then 202 is returned'
const MODEL = '4.3: the path parameter is the id of the model that is run'

const run = (...edits: Parameters<typeof when>) => edited('runModel', when(...edits))
const completed = (...edits: Edit[]) => run(isCompleted, ...edits)
const held = (...edits: Edit[]) => run(isHeld, ...edits)
const hooked = (...edits: Edit[]) => run(isHooked, ...edits)
const queued = (...edits: Edit[]) => run(isQueued, ...edits)
const isSyncTrue: Parameters<typeof when>[0] = (response, { body }) =>
  isCompleted(response) && at(body, '/sync') === true
const isRun = (request: Parameters<typeof isFor>[0]) => isFor(request, 'runModel')

/** Members that every response to a run has. */
const IDENTITY: readonly [string, Edit][] = [
  ['has a number as job_id', put('/job_id', 7)],
  ['has an empty job_id', put('/job_id', '')],
  ['has null as request_id', put('/request_id', null)],
  ['has the name of the model as model_id', put('/model_id', 'Every Rule')],
  ['has no status', take('/status')],
]

/** Waits before or after the hold. */
function holds(more: (request: Parameters<typeof isFor>[0], response: WireResponse) => number): Mutation {
  return instead(isRun, async (request, send, server) => {
    const response = await send(request)
    const ms = more(request, response)
    if (ms > 0) await sleep(server.clock, ms)
    return response
  })
}

/** Gives a second run the response of the first one. */
function repeats(member: 'job_id' | 'everything', isRepeated: (response: WireResponse) => boolean): Mutation {
  return {
    wrap: (send) => {
      let first: WireResponse | undefined
      return async (request) => {
        const response = await send(request)
        if (!isRun(request) || !isRepeated(response)) return response
        first ??= response
        if (member === 'everything') return { ...first, headers: new Headers(first.headers) }
        put('/job_id', at(first.json, '/job_id'))(response, request)
        return response
      }
    },
  }
}

/** Cancels, by itself, the job that a run was responded with with. */
function dropsJob(isDropped: Parameters<typeof when>[0]): Mutation {
  return instead(isRun, async (request, send) => {
    const response = await send(request)
    if (!isDropped(response, request)) return response
    const url = new URL(`/v1/jobs/${at(response.json, '/job_id')}`, request.url)
    await send({ ...request, url, method: 'DELETE', body: undefined, init: { headers: request.init.headers ?? {} } })
    return response
  })
}

/** Responses to runs: their bodies, their holds. */
export const BODY_MUTANTS = mutants([
  ...IDENTITY.map(([breaks, edit]): Row => [FINISHED, `${breaks} in a finished run`, completed(edit)]),
  ...IDENTITY.map(([breaks, edit]): Row => [HELD, `${breaks} in a held run`, held(edit)]),
  ...IDENTITY.map(([breaks, edit]): Row => [HOOKED, `${breaks} in a run with webhook_url`, hooked(edit)]),
  ...IDENTITY.map(([breaks, edit]): Row => [ACCEPTED, `${breaks} in an asynchronous run`, queued(edit)]),
  [FINISHED, 'has the output as a text', completed(put('/output', 'https://files.example/0.png'))],
  [
    FINISHED,
    'has the output as a list',
    completed(put('/output', [{ type: 'image', url: 'https://files.example/0.png' }])),
  ],
  [FINISHED, 'has credits_used as text', completed(put('/credits_used', '4'))],
  [FINISHED, 'has no credits used', completed(put('/credits_used', 0))],
  [FINISHED, 'has no duration', completed(take('/duration_ms'))],
  [FINISHED, 'wraps a finished run in data', completed(put('', (data: unknown) => ({ data })))],
  [FINISHED, 'has no output when sync is true', run(isSyncTrue, take('/output'))],
  [
    FINISHED,
    'has no credits_used when sync is true',
    run(isSyncTrue, take('/credits_used')),
    'runs/credits-are-the-price',
  ],
  [FINISHED, 'has no job_id when sync is true', run(isSyncTrue, take('/job_id'))],
  [DURATION, 'has a duration below 0', completed(put('/duration_ms', -1))],
  [
    DURATION,
    'has the duration in microseconds',
    completed(put('/duration_ms', (ms: number) => ms * 1000)),
    'runs/completed-duration',
  ],
  [DURATION, 'has the time of the end as the duration', completed(put('/duration_ms', 1_767_225_604_000))],
  [OUTPUT, 'has no type of output in a finished run', completed(take('/output/type'))],
  [
    OUTPUT,
    'has a map of items in a finished run',
    completed(put('/output/items', (items: unknown[]) => ({ ...items }))),
  ],
  [OUTPUT, 'has items without a type in a finished run', completed(take('/output/items/*/type'))],
  [OUTPUT, 'has paths in a finished run', completed(put('/output/items/*/url', '/files/0.png'))],
  [OUTPUT, 'has numbers as the type of items', completed(put('/output/items/*/type', 1))],
  [HELD, 'has a number as a message in a held run', held(put('/message', 1))],
  [HELD, 'says pending in a held run', held(put('/status', 'pending'))],
  [HOOKED, 'has null as a message in a run with webhook_url', hooked(put('/message', null))],
  [HOOKED, 'responds 201 to a run with webhook_url', hooked(status(201))],
  [HOOKED, 'has another model_id in a run with webhook_url', hooked(put('/model_id', 'aurora-image'))],
  [
    HOOKED,
    'waits for the result of a run with webhook_url',
    editRequests('runModel', ({ body }) => void (isRecord(body) && delete body.webhook_url)),
  ],
  [ACCEPTED, 'says processing in an asynchronous run', queued(put('/status', 'processing'))],
  [ACCEPTED, 'responds 204 to an asynchronous run', queued(status(204))],
  [
    ACCEPTED,
    'calls job_id id in an asynchronous run',
    queued(put('', ({ job_id: id, ...body }: Record<string, unknown>) => ({ ...body, id }))),
  ],
  [JSON_API, 'calls a finished run a text', completed(contentType('text/plain'))],
  [JSON_API, 'calls a held run a text', held(contentType('text/plain'))],
  [JSON_API, 'calls a run with webhook_url a page', hooked(contentType('text/html'))],
  [JSON_API, 'has no content type in an asynchronous run', queued(({ headers }) => headers.delete('content-type'))],
  [JSON_API, 'calls a job a text', edited('getJob', contentType('text/plain'))],
  [JSON_API, 'calls a failed job a text', edited('getJob', when(hasFailed, contentType('text/plain')))],
  [
    JSON_API,
    'calls a list of one a text',
    edited(
      'listModels',
      when((_, { url }) => url.search.includes('search'), contentType('text/plain')),
    ),
  ],
  [JSON_API, 'responds to a run with form data', queued(raw('status=queued', 'application/x-www-form-urlencoded'))],
  [JSON_API, 'responds to a run with a text that holds JSON', completed(put('', JSON.stringify))],
  [
    JSON_API,
    'responds to a run with JSONP',
    held((response, request) => raw(`done(${JSON.stringify(response.json)})`, 'application/json')(response, request)),
  ],
  [ONE_JOB, 'has one job_id for all finished runs', repeats('job_id', isCompleted)],
  [ONE_JOB, 'has one job_id for all asynchronous runs', repeats('job_id', isQueued)],
  [ONE_JOB, 'responds to a second run from a cache', repeats('everything', isCompleted), 'runs/job-ids-differ'],
  [
    WAITS,
    'responds 202 when sync is true',
    editRequests('runModel', (request) => {
      if (isRecord(request.body) && request.body.sync === true) request.body = { ...request.body, sync: false }
    }),
  ],
  [
    WAITS,
    'waits only when sync is true',
    editRequests('runModel', (request) => {
      const { body } = request
      if (isRecord(body) && !('sync' in body) && !('webhook_url' in body)) request.body = { ...body, sync: false }
    }),
  ],
  [
    '3: a run with sync: false returns at once',
    'waits a quarter of a minute before it queues',
    holds((_, response) => (isQueued(response) ? 15_000 : 0)),
  ],
  [HOLD, 'holds a run for two minutes', holds((request, response) => (isHeld(response, request) ? 65_000 : 0))],
  [
    HOLD,
    'holds a run for 75 seconds',
    holds((request, response) => (isHeld(response, request) ? 20_000 : 0)),
    'runs/held-time',
  ],
  [HOLD, 'responds 408 at the end of the hold', held(status(408))],
  [
    '1: when the hold is over, the result is obtained by polling',
    'cancels a run at the end of the hold',
    dropsJob(isHeld),
  ],
  [
    '4.3: a 202 response means the result is obtained by polling or by the webhook',
    'cancels runs with webhook_url',
    dropsJob(isHooked),
  ],
  ['3: a run with sync: false is queued, and obtained later', 'cancels asynchronous runs', dropsJob(isQueued)],
  [
    MODEL,
    'runs a cheaper model than asked for',
    editRequests('runModel', ({ url }) => {
      url.pathname = url.pathname.replace('conformance%2Fevery-rule', 'lumen%2Faurora-image-swift')
    }),
  ],
  [
    MODEL,
    'runs some model when it does not know one',
    editRequests('runModel', ({ url }) => {
      url.pathname = url.pathname.replace(/conformance-[\w-]+/, 'conformance%2Fevery-rule')
    }),
    'runs/unknown-model-does-not-run',
  ],
  [
    '4.3: 200 is for a run that finished; section 3: failed is finished with an error',
    'says completed for a failed run',
    instead(isRun, async (request, send) => {
      const response = await send(request)
      if (response.status === 502) Object.assign(response, { status: 200, json: { status: 'completed', output: null } })
      return response
    }),
    'runs/failed-is-not-completed',
  ],
])
