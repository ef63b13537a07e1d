import { sleep } from '../../packages/conformance/src/clock.ts'
import { at, isRecord } from '../../packages/conformance/src/json.ts'
import {
  edited,
  editRequests,
  isFor,
  type Mutation,
  mutants,
  put,
  status,
  take,
  type WireRequest,
  type WireResponse,
  when,
} from './mutation.ts'

const says = (word: string) => (response: WireResponse) => at(response.json, '/status') === word
const hasWebhook = (request: WireRequest) => at(request.body, '/webhook_url') !== undefined
const isCompleted = says('completed')
const isQueued = says('queued')
const isHeld = (response: WireResponse, request: WireRequest) => says('processing')(response) && !hasWebhook(request)
const isHooked = (response: WireResponse, request: WireRequest) => response.status < 400 && hasWebhook(request)
const isLandscape = (_: WireResponse, { body }: WireRequest) => at(body, '/input/image_size') === 'landscape_16_9'

const run = (...edits: Parameters<typeof when>) => edited('runModel', when(...edits))

/** Responds at once, whatever was asked for. */
function neverWaiting(isWanted: (request: WireRequest) => boolean): Mutation {
  return editRequests('runModel', (request) => {
    if (isRecord(request.body) && isWanted(request)) request.body = { ...request.body, sync: false }
  })
}

function slowResponses(): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      if (isFor(request, 'runModel')) await sleep(server.clock, 15_000)
      return send(request)
    },
  }
}

function shortHold(): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      if (!isFor(request, 'runModel') || !isRecord(request.body)) return send(request)
      const response = await send({ ...request, body: { ...request.body, sync: false } })
      await sleep(server.clock, 15_000)
      return { ...response, status: 202 }
    },
  }
}

/** Runs whatever input it gets. */
function lenient(): Mutation {
  return editRequests('runModel', (request) => {
    if (isRecord(request.body)) request.body = { ...request.body, input: { prompt: 'anything', style: 'photo' } }
  })
}

/** Runs: their responses and their inputs. */
export const RUN_MUTANTS = mutants([
  ['runs/waits', 'does not wait by default', neverWaiting(() => true)],
  ['runs/accepted', 'responds 500 to asynchronous runs', run(isQueued, status(500))],
  ['runs/waits', 'responses a finished run with 201', run(isCompleted, status(201))],
  ['runs/waits', 'does not wait for sync: true', neverWaiting(({ body }) => at(body, '/sync') === true)],
  ['runs/identity', 'has no job_id in a finished run', run(isCompleted, take('/job_id'))],
  ['runs/identity', 'has no request_id in a finished run', run(isCompleted, take('/request_id'))],
  ['runs/waits', 'says succeeded in the 200 run response', run(isCompleted, put('/status', 'succeeded'))],
  ['runs/identity', 'names another model', run(isCompleted, put('/model_id', 'Aurora Image'))],
  ['runs/completed-output', 'has no output in a finished run', run(isCompleted, take('/output'))],
  [
    'runs/completed-output',
    'has the files as plain addresses',
    run(isCompleted, put('/output/items/*', 'https://files.example/0.png')),
  ],
  ['runs/completed-duration', 'has the duration as text', run(isCompleted, put('/duration_ms', '4.0 s'))],
  ['runs/completed-duration', 'has a fraction as the duration', run(isCompleted, put('/duration_ms', 4000.5))],
  ['runs/credits-are-the-price', 'uses more credits than the price', run(isCompleted, put('/credits_used', 5))],
  ['runs/credits-are-the-price', 'has no credits_used', run(isCompleted, take('/credits_used'))],
  ['runs/async-status', 'responds with 201 to an asynchronous run', run(isQueued, status(201))],
  ['runs/identity', 'has no job_id in an asynchronous run', run(isQueued, take('/job_id'))],
  ['runs/identity', 'has no request_id in an asynchronous run', run(isQueued, take('/request_id'))],
  ['runs/async-status', 'says pending for an asynchronous run', run(isQueued, put('/status', 'pending'))],
  [
    'runs/async-status',
    'waits although sync is false',
    editRequests('runModel', ({ body }) => void (isRecord(body) && delete body.sync)),
  ],
  ['runs/async-at-once', 'takes its time for an asynchronous response', slowResponses()],
  ['runs/waits', 'responds with 200 to a run that continues', run(isHeld, status(200))],
  ['runs/waits', 'responds with 504 to a run that continues', run(isHeld, status(504))],
  ['runs/waits', 'gives up the hold after 15 s', shortHold()],
  ['runs/identity', 'has no job_id in a run that continues', run(isHeld, take('/job_id'))],
  ['runs/waits', 'says queued for a run that continues', run(isHeld, put('/status', 'queued'))],
  ['runs/message', 'has no message for a run that continues', run(isHeld, take('/message'))],
  [
    'jobs/every-end',
    'loses the result of a run that continued',
    edited('getJob', put('/data', { status: 'processing' })),
  ],
  ['webhooks/run-status', 'responds with 200 to a run with webhook_url', run(isHooked, status(200))],
  ['runs/identity', 'has no job_id in a run with webhook_url', run(isHooked, take('/job_id'))],
  ['runs/identity', 'has no model_id in a run with webhook_url', run(isHooked, take('/model_id'))],
  ['webhooks/run-status', 'says queued for a run with webhook_url', run(isHooked, put('/status', 'queued'))],
  ['runs/message', 'has no message in a run with webhook_url', run(isHooked, take('/message'))],
  ['runs/message', 'has a message that does not help', run(isHooked, put('/message', 'OK'))],
  ['runs/accepted', 'rejects an allowed value', run(isLandscape, status(400))],
  ['inputs/input-is-required', 'runs without an input', lenient()],
  ['inputs/required-parameter', 'runs without a mandatory parameter', lenient()],
  ['inputs/enum', 'ignores the allowed values', lenient()],
  ['inputs/type', 'ignores the types of parameters', lenient()],
  ['inputs/maximum', 'ignores the maximum', lenient()],
  ['inputs/minimum', 'ignores the minimum', lenient()],
])
