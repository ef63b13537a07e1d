import { sleep } from '@modelrun/kit'
import { at, isRecord } from '../../packages/conformance/src/json.ts'
import {
  contentType,
  hasCode,
  hasFailed,
  hasWebhook,
  type IsWanted,
  isAsync,
  isCompleted,
  isHeld,
  isHooked,
  isQueued,
  job,
  list,
  put,
  raw,
  run,
} from './edits.ts'
import {
  after,
  editRequests,
  instead,
  isFor,
  type Mutants,
  type Mutation,
  type WireRequest,
  type WireResponse,
} from './mutation.ts'

const completed = run.where(isCompleted)
const held = run.where(isHeld)
const hooked = run.where(isHooked)
const queued = run.where(isQueued)
const isSyncTrue: IsWanted = (response, { body }) => isCompleted(response) && at(body, '/sync') === true
const isAsyncHooked: IsWanted = (_, request) => isAsync(request) && hasWebhook(request)
const isLandscape: IsWanted = (_, { body }) => at(body, '/input/image_size') === 'landscape_16_9'

/** Members that every response to a run has. */
const identity = (responses: typeof run, kind: string) => ({
  [`has a number as job_id in ${kind}`]: responses.put('/job_id', 7),
  [`has an empty job_id in ${kind}`]: responses.put('/job_id', ''),
  [`has null as request_id in ${kind}`]: responses.put('/request_id', null),
  [`has the name of the model as model_id in ${kind}`]: responses.put('/model_id', 'Every Rule'),
})

/** Changes the bodies of runs before the server sees them. */
function asking(isWanted: (request: WireRequest) => boolean, change: (body: Record<string, unknown>) => object) {
  return editRequests('runModel', (request) => {
    if (isRecord(request.body) && isWanted(request)) request.body = change(request.body)
  })
}

/** Responds at once, whatever was asked for. */
const neverWaiting = (isWanted: (request: WireRequest) => boolean) =>
  asking(isWanted, (body) => ({ ...body, sync: false }))

/** Responds to a run so much later. */
function holds(ms: number, isWanted: IsWanted = () => true): Mutation {
  return after((response, request, { server }) =>
    isFor(request, 'runModel') && isWanted(response, request) ? sleep(server.clock, ms) : undefined,
  )
}

/** Gives up the hold of slow runs after so long, or of every second one. */
function shortHolds(ms: number, every = 1): Mutation {
  let held = 0
  const isSlow = (request: WireRequest) =>
    isFor(request, 'runModel') && !isAsync(request) && !hasWebhook(request) && request.url.pathname.includes('video')
  return instead(
    (request) => isSlow(request) && ++held % every === 0,
    async (request, { send, server }) => {
      const body = { ...Object(request.body), sync: false }
      const response = await send({ ...request, body })
      await sleep(server.clock, ms)
      put('', (json: object) => ({ ...json, status: 'processing', message: 'Poll the job.' }))(response, request)
      return { ...response, status: 202 }
    },
  )
}

/** Gives a second run the response of the first one, or its `job_id`. */
function repeats(member: 'job_id' | 'everything', isRepeated: IsWanted): Mutation {
  let first: WireResponse | undefined
  return run.where(isRepeated).edit((response, request) => {
    first ??= { ...response }
    if (member === 'everything') Object.assign(response, first, { headers: new Headers(first.headers) })
    put('/job_id', at(first.json, '/job_id'))(response, request)
  })
}

/** Cancels, by itself, the job that a run was responded to with. */
function dropsJob(isDropped: IsWanted): Mutation {
  return after(async (response, request, { send }) => {
    if (!isFor(request, 'runModel') || !isDropped(response, request)) return
    const url = new URL(`/v1/jobs/${at(response.json, '/job_id')}`, request.url)
    await send({ ...request, url, method: 'DELETE', body: undefined, init: { headers: request.init.headers ?? {} } })
  })
}

/** Runs another model than the one that is asked for. */
const runsInstead = (pattern: string | RegExp, other: string) =>
  editRequests('runModel', ({ url }) => {
    url.pathname = url.pathname.replace(pattern, other)
  })

/** Responses to runs: their bodies, and how long they are waited for. */
export const RUN_MUTANTS: Mutants = {
  'runs/waits': {
    'does not wait by default': neverWaiting(() => true),
    'responses a finished run with 201': completed.status(201),
    'does not wait for sync: true': neverWaiting(({ body }) => at(body, '/sync') === true),
    'says succeeded in the 200 run response': completed.put('/status', 'succeeded'),
    'responds with 200 to a run that continues': held.status(200),
    'responds with 504 to a run that continues': held.status(504),
    'gives up the hold after 15 s': shortHolds(15_000),
    'says queued for a run that continues': held.put('/status', 'queued'),
    'says pending in a held run': held.put('/status', 'pending'),
    'responds to a run with JSONP': held.edit(raw('done({})', 'application/json')),
    'responds 202 when sync is true': neverWaiting(
      ({ body }) => at(body, '/sync') === true && at(body, '/webhook_url') === undefined,
    ),
    'waits only when sync is true': neverWaiting(
      ({ body }) => isRecord(body) && body.sync === undefined && !('webhook_url' in body),
    ),
    'responds 408 at the end of the hold': held.status(408),
  },
  'runs/accepted': {
    'responds 500 to asynchronous runs': queued.status(500),
    'rejects an allowed value': run.where(isLandscape).status(400),
    'runs a cheaper model than asked for': runsInstead('conformance%2Fevery-rule', 'lumen%2Faurora-image-swift'),
  },
  'runs/identity': {
    ...identity(completed, 'a finished run'),
    ...identity(held, 'a held run'),
    ...identity(hooked, 'a run with webhook_url'),
    ...identity(queued, 'an asynchronous run'),
    'has no job_id in a finished run': completed.take('/job_id'),
    'has no request_id in a finished run': completed.take('/request_id'),
    'names another model': completed.put('/model_id', 'Aurora Image'),
    'has no job_id in an asynchronous run': queued.take('/job_id'),
    'has no request_id in an asynchronous run': queued.take('/request_id'),
    'has no job_id in a run that continues': held.take('/job_id'),
    'has no job_id in a run with webhook_url': hooked.take('/job_id'),
    'has no model_id in a run with webhook_url': hooked.take('/model_id'),
    'wraps a finished run in data': completed.put('', (data: unknown) => ({ data })),
    'has no job_id when sync is true': run.where(isSyncTrue).take('/job_id'),
    'has another model_id in a run with webhook_url': hooked.put('/model_id', 'aurora-image'),
    'calls job_id id in an asynchronous run': queued.put('', ({ job_id: id, ...body }: Record<string, unknown>) => ({
      ...body,
      id,
    })),
    'responds to a run with a text that holds JSON': completed.put('', (body: unknown) => JSON.stringify(body)),
  },
  'runs/completed-output': {
    'has no output in a finished run': completed.take('/output'),
    'has the files as plain addresses': completed.put('/output/items/*', 'https://files.example/0.png'),
    'has the output as a text': completed.put('/output', 'https://files.example/0.png'),
    'has the output as a list': completed.put('/output', [{ type: 'image', url: 'https://files.example/0.png' }]),
    'has no output when sync is true': run.where(isSyncTrue).take('/output'),
    'has no type of output in a finished run': completed.take('/output/type'),
    'has a map of items in a finished run': completed.put('/output/items', (items: unknown[]) => ({ ...items })),
    'has items without a type in a finished run': completed.take('/output/items/*/type'),
    'has paths in a finished run': completed.put('/output/items/*/url', '/files/0.png'),
    'has numbers as the type of items': completed.put('/output/items/*/type', 1),
  },
  'runs/completed-duration': {
    'has the duration as text': completed.put('/duration_ms', '4.0 s'),
    'has a fraction as the duration': completed.put('/duration_ms', 4000.5),
    'has no duration': completed.take('/duration_ms'),
    'has a duration below 0': completed.put('/duration_ms', -1),
    'has the duration in microseconds': completed.put('/duration_ms', (ms: number) => ms * 1000),
    'has the time of the end as the duration': completed.put('/duration_ms', 1_767_225_604_000),
  },
  'runs/credits-are-the-price': {
    'uses more credits than the price': completed.put('/credits_used', 5),
    'has no credits_used': completed.take('/credits_used'),
    'has credits_used as text': completed.put('/credits_used', '4'),
    'has no credits used': completed.put('/credits_used', 0),
    'has no credits_used when sync is true': run.where(isSyncTrue).take('/credits_used'),
  },
  'runs/async-status': {
    'responds with 201 to an asynchronous run': queued.status(201),
    'says pending for an asynchronous run': queued.put('/status', 'pending'),
    'waits although sync is false': asking(isAsync, ({ sync: _, ...body }) => body),
    'says processing in an asynchronous run': queued.put('/status', 'processing'),
  },
  'runs/async-at-once': {
    'takes its time for an asynchronous response': holds(15_000),
    'waits a quarter of a minute before it queues': holds(15_000, isQueued),
  },
  'runs/message': {
    'has no message for a run that continues': held.take('/message'),
    'has no message in a run with webhook_url': hooked.take('/message'),
    'has a message that does not help': hooked.put('/message', 'OK'),
    'has a number as a message in a held run': held.put('/message', 1),
    'has null as a message in a run with webhook_url': hooked.put('/message', null),
  },
  'webhooks/run-status': {
    'responds with 200 to a run with webhook_url': hooked.status(200),
    'says queued for a run with webhook_url': hooked.put('/status', 'queued'),
    'responds 201 to a run with webhook_url': hooked.status(201),
    'waits for the result of a run with webhook_url': asking(hasWebhook, ({ webhook_url: _, ...body }) => body),
  },
  'webhooks/async-run-status': {
    'says completed of an asynchronous run with webhook_url': run.where(isAsyncHooked).put('/status', 'completed'),
    'responds 204 to an asynchronous run': queued.status(204),
    'responds to a run with form data': queued.edit(raw('status=queued', 'application/x-www-form-urlencoded')),
  },
  'errors/every-json': {
    'calls a finished run a text': completed.edit(contentType('text/plain')),
    'calls a held run a text': held.edit(contentType('text/plain')),
    'calls a run with webhook_url a page': hooked.edit(contentType('text/html')),
    'has no content type in an asynchronous run': queued.edit(({ headers }) => headers.delete('content-type')),
    'calls a job a text': job.edit(contentType('text/plain')),
    'calls a failed job a text': job.where(hasFailed).edit(contentType('text/plain')),
    'calls a list of one a text': list
      .where((_, { url }) => url.search.includes('search'))
      .edit(contentType('text/plain')),
  },
  'runs/job-ids-differ': {
    'has one job_id for all finished runs': repeats('job_id', isCompleted),
    'has one job_id for all asynchronous runs': repeats('job_id', isQueued),
    'responds to a second run from a cache': repeats('everything', isCompleted),
  },
  'runs/held-time': {
    'gives up every second hold after 20 s': shortHolds(20_000, 2),
    'holds a run for 68 seconds': holds(13_000, isHeld),
    'holds a run for two minutes': holds(65_000, isHeld),
    'holds a run for 75 seconds': holds(20_000, isHeld),
  },
  'cancel/every-cancel': {
    'cancels a run at the end of the hold': dropsJob(isHeld),
    'cancels runs with webhook_url': dropsJob(isHooked),
    'cancels asynchronous runs': dropsJob(isQueued),
  },
  'runs/unknown-model-does-not-run': {
    'runs some model when it does not know one': runsInstead(/conformance-[\w-]+/, 'conformance%2Fevery-rule'),
  },
  'runs/failed-is-not-completed': {
    'says completed for a failed run': run
      .where(hasCode(502))
      .edit((response) => Object.assign(response, { status: 200, json: { status: 'completed' } })),
  },
}
