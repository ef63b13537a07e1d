import { sleep } from '../../src/clock.ts'
import { at, isRecord } from '../../src/json.ts'
import {
  edited,
  editRequests,
  isFor,
  type Mutant,
  type Mutation,
  mutant,
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
export const RUN_MUTANTS: readonly Mutant[] = [
  mutant(
    'runs/waits',
    'does not wait by default',
    neverWaiting(() => true),
  ),
  mutant('runs/waits', 'responses a finished run with 201', run(isCompleted, status(201))),
  mutant(
    'runs/waits',
    'does not wait for sync: true',
    neverWaiting(({ body }) => at(body, '/sync') === true),
  ),
  mutant('runs/identity', 'has no job_id in a finished run', run(isCompleted, take('/job_id'))),
  mutant('runs/identity', 'has no request_id in a finished run', run(isCompleted, take('/request_id'))),
  mutant('runs/waits', 'says succeeded in the 200 run response', run(isCompleted, put('/status', 'succeeded'))),
  mutant('runs/identity', 'names another model', run(isCompleted, put('/model_id', 'Aurora Image'))),
  mutant('runs/completed-output', 'has no output in a finished run', run(isCompleted, take('/output'))),
  mutant(
    'runs/completed-output',
    'has the files as plain addresses',
    run(isCompleted, put('/output/items/*', 'https://files.example/0.png')),
  ),
  mutant('runs/completed-duration', 'has the duration as text', run(isCompleted, put('/duration_ms', '4.0 s'))),
  mutant('runs/completed-duration', 'has a fraction as the duration', run(isCompleted, put('/duration_ms', 4000.5))),
  mutant('runs/credits-are-the-price', 'uses more credits than the price', run(isCompleted, put('/credits_used', 5))),
  mutant('runs/credits-are-the-price', 'has no credits_used', run(isCompleted, take('/credits_used'))),
  mutant('runs/async-status', 'responds with 201 to an asynchronous run', run(isQueued, status(201))),
  mutant('runs/identity', 'has no job_id in an asynchronous run', run(isQueued, take('/job_id'))),
  mutant('runs/identity', 'has no request_id in an asynchronous run', run(isQueued, take('/request_id'))),
  mutant('runs/async-status', 'says pending for an asynchronous run', run(isQueued, put('/status', 'pending'))),
  mutant(
    'runs/async-status',
    'waits although sync is false',
    editRequests('runModel', ({ body }) => void (isRecord(body) && delete body.sync)),
  ),
  mutant('runs/async-at-once', 'takes its time for an asynchronous response', slowResponses()),
  mutant('runs/waits', 'responds with 200 to a run that continues', run(isHeld, status(200))),
  mutant('runs/waits', 'responds with 504 to a run that continues', run(isHeld, status(504))),
  mutant('runs/waits', 'gives up the hold after 15 s', shortHold()),
  mutant('runs/identity', 'has no job_id in a run that continues', run(isHeld, take('/job_id'))),
  mutant('runs/waits', 'says queued for a run that continues', run(isHeld, put('/status', 'queued'))),
  mutant('runs/message', 'has no message for a run that continues', run(isHeld, take('/message'))),
  mutant(
    'jobs/every-end',
    'loses the result of a run that continued',
    edited('getJob', put('/data', { status: 'processing' })),
  ),
  mutant('webhooks/run-status', 'responds with 200 to a run with webhook_url', run(isHooked, status(200))),
  mutant('runs/identity', 'has no job_id in a run with webhook_url', run(isHooked, take('/job_id'))),
  mutant('runs/identity', 'has no model_id in a run with webhook_url', run(isHooked, take('/model_id'))),
  mutant('webhooks/run-status', 'says queued for a run with webhook_url', run(isHooked, put('/status', 'queued'))),
  mutant('runs/message', 'has no message in a run with webhook_url', run(isHooked, take('/message'))),
  mutant('runs/message', 'has a message that does not help', run(isHooked, put('/message', 'OK'))),
  mutant('inputs/edges-are-accepted', 'rejects an allowed value', run(isLandscape, status(400))),
  mutant('inputs/input-is-required', 'runs without an input', lenient()),
  mutant('inputs/required-parameter', 'runs without a mandatory parameter', lenient()),
  mutant('inputs/enum', 'ignores the allowed values', lenient()),
  mutant('inputs/type', 'ignores the types of parameters', lenient()),
  mutant('inputs/maximum', 'ignores the maximum', lenient()),
  mutant('inputs/minimum', 'ignores the minimum', lenient()),
]
