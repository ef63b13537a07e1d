import { at } from '../../packages/conformance/src/json.ts'
import { FAILING_MODEL } from '../../packages/conformance/test/catalog.ts'
import { contentType } from './edits.ts'
import {
  edited,
  editedWhere,
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

const reads = (word: string) => (response: WireResponse) => at(response.json, '/data/status') === word
const isDone = reads('succeeded')
const hasFailed = reads('failed')
const isUnfinished = (response: WireResponse) => reads('queued')(response) || reads('processing')(response)
const always = () => true
const OUTPUT = { type: 'image', items: [] }

const job = (...edits: Parameters<typeof when>) => edited('getJob', when(...edits))

/** Says yes to a cancel and does nothing. */
function deaf(isDeafTo: (jobStatus: string) => boolean): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      const jobId = request.url.pathname.split('/').at(-1) ?? ''
      if (!isFor(request, 'cancelJob') || !isDeafTo(server.job(jobId).status)) return send(request)
      return { ...(await send({ ...request, method: 'GET' })), status: 200 }
    },
  }
}

/** Charges for every request to an endpoint, beside what the server charges. */
function charging(route: Parameters<typeof edited>[0], credits: number): Mutation {
  let charged = 0
  return {
    ...edited(route, () => {
      charged += credits
    }),
    options: ({ server }) => ({ readCredits: async () => server.credits() - charged }),
  }
}

const isFile = ({ url }: WireRequest) => url.pathname.startsWith('/files/')

function hidingEverySecondFile(): Mutation {
  let count = 0
  return editedWhere((request) => isFile(request) && count++ % 2 === 1, status(403))
}

/** Jobs, their files, their cancels and their charges. */
export const JOB_MUTANTS = mutants([
  [
    'jobs/every-poll',
    'does not wrap the job in data',
    job(
      always,
      put('', (body: { data: unknown }) => body.data),
    ),
  ],
  ['jobs/every-poll', 'responds with 404 while the job continues', job(isUnfinished, status(404))],
  ['jobs/status', 'says completed in the job status', job(isDone, put('/data/status', 'completed'))],
  ['jobs/status', 'has a status of its own', job(reads('queued'), put('/data/status', 'starting'))],
  ['jobs/every-end', 'never ends an asynchronous run', job(always, put('/data', { status: 'processing' }))],
  ['jobs/every-end', 'says processing after a finished run', job(isDone, put('/data/status', 'completed'))],
  ['jobs/every-output', 'has no type of output', job(isDone, take('/data/output/type'))],
  [
    'jobs/every-output',
    'has one item instead of a list',
    job(
      isDone,
      put('/data/output/items', (items: unknown[]) => items[0]),
    ),
  ],
  ['jobs/every-output', 'has items without a type', job(isDone, take('/data/output/items/*/type'))],
  ['jobs/every-output', 'has paths instead of addresses', job(isDone, put('/data/output/items/*/url', '/files/0.png'))],
  ['jobs/every-output', 'has no output when the job has succeeded', job(isDone, take('/data/output'))],
  ['jobs/same-output', 'reads fewer files than the run returned', job(isDone, put('/data/output/items', []))],
  ['jobs/no-output-before', 'has an output before the job has ended', job(isUnfinished, put('/data/output', OUTPUT))],
  [
    'jobs/no-error',
    'has an error in a job that succeeded',
    job(isDone, put('/data/error', { code: 'NONE', message: '' })),
  ],
  ['jobs/every-end', 'says succeeded for a failed job', job(hasFailed, put('/data/status', 'succeeded'))],
  [
    'jobs/failed-code',
    'has another code for a provider that failed',
    job(hasFailed, put('/data/error/code', 'FAILED')),
  ],
  ['jobs/failed-code', 'has no error in a failed job', job(hasFailed, take('/data/error'))],
  ['jobs/failed-error', 'has no message in a failed job', job(hasFailed, take('/data/error/message'))],
  ['files/can-be-read', 'has no file at the address of an item', editedWhere(isFile, status(404))],
  ['files/can-be-read', 'has a page at the address of an item', editedWhere(isFile, contentType('text/html'))],
  ['files/can-be-read', 'needs a key for every second file', hidingEverySecondFile()],
  [
    'webhooks/same-result-by-polling',
    'has no result to poll after a delivery',
    job(reads('succeeded'), put('/data/output/items', [])),
  ],
  ['cancel/every-cancel', 'ignores the cancel of a queued job', deaf((word) => word === 'queued')],
  ['cancel/every-cancel', 'rejects the cancel of a queued job', edited('cancelJob', status(409))],
  ['cancel/every-cancel', 'spells it canceled', job(reads('cancelled'), put('/data/status', 'canceled'))],
  ['cancel/every-cancel', 'ignores the cancel of a processing job', deaf((word) => word === 'processing')],
  ['cancel/every-cancel', 'says failed for a cancelled job', job(reads('cancelled'), put('/data/status', 'failed'))],
  ['charges/every-run', 'charges a cancelled job', charging('cancelJob', 60)],
  ['charges/every-run', 'charges twice', charging('runModel', 4)],
  ['charges/every-run', 'charges nothing', charging('runModel', -4)],
  [
    'runs/accepted',
    'rejects a right input of the model that fails',
    edited(
      'runModel',
      when(
        (_, { url, body }) => url.pathname.includes(encodeURIComponent(FAILING_MODEL)) && at(body, '/sync') === false,
        status(400),
      ),
    ),
  ],
  [
    'jobs/every-end',
    'runs a model again that failed',
    editRequests('runModel', ({ url }) => {
      url.pathname = url.pathname.replace(encodeURIComponent(FAILING_MODEL), 'aurora-image')
    }),
  ],
])
