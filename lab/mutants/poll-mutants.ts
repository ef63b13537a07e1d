import { at } from '../../packages/conformance/src/json.ts'
import { hasFailed, isCancelled, isDone, jobOf, ofRuns, reads } from './edits.ts'
import {
  type Edit,
  edited,
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

const DATA = '4.4: the response is an object with data, which holds status, output when succeeded and error when failed'
const ID = '4.4: the path parameter is the job_id returned by the run endpoint'
const OUTPUT = '2.5: an output has a type and items, each with type and url'
const ERROR = '2.4: error is an object with code and message'

const job = (...edits: Parameters<typeof when>) => edited('getJob', when(...edits))
const isJob = (request: WireRequest) => isFor(request, 'getJob')
const isUnfinished = (response: WireResponse) => reads('queued')(response) || reads('processing')(response)
const isProcessing = reads('processing')

/** Reads every job as the one that was run last. */
function latestJob(): Mutation {
  return {
    wrap: (send) => {
      let latest: string | undefined
      return async (request) => {
        if (isJob(request) && latest !== undefined && jobOf(request).startsWith('job_'))
          request.url.pathname = `/v1/jobs/${latest}`
        const response = await send(request)
        const jobId = at(response.json, '/job_id')
        if (isFor(request, 'runModel') && typeof jobId === 'string') latest = jobId
        return response
      }
    },
  }
}

const isHeldRun = (response: WireResponse, { body }: WireRequest) =>
  response.status === 202 && at(body, '/sync') === undefined && at(body, '/webhook_url') === undefined
const isHookedRun = (response: WireResponse, { body }: WireRequest) =>
  response.status < 300 && at(body, '/webhook_url') !== undefined
const isSyncRun = (response: WireResponse) => at(response.json, '/status') === 'completed'
const whenDone = (...edits: Edit[]): Edit => when(isDone, ...edits)
const flat = put('', (body: { data: unknown }) => body.data)

/** What polling reads, whichever run made the job. */
export const POLL_MUTANTS = mutants([
  [DATA, 'wraps no failed job in data', job(hasFailed, flat)],
  [DATA, 'wraps no cancelled job in data', job(isCancelled, flat)],
  [DATA, 'wraps no unfinished job in data', job(isUnfinished, flat)],
  [
    DATA,
    'wraps the job in a list',
    job(
      () => true,
      put('/data', (data: unknown) => [data]),
    ),
  ],
  [
    DATA,
    'wraps the job in job',
    job(
      () => true,
      put('', ({ data }: { data: unknown }) => ({ job: data })),
    ),
  ],
  [DATA, 'has no status in data', job(isUnfinished, take('/data/status')), 'jobs/status'],
  [DATA, 'has null as the output of a job', job(isDone, put('/data/output', null))],
  [
    DATA,
    'has the output beside data',
    job(
      isDone,
      put('', ({ data }: { data: { output: unknown } }) => ({
        data: { ...data, output: undefined },
        output: data.output,
      })),
    ),
  ],
  [DATA, 'has no output in jobs of synchronous runs', ofRuns(isSyncRun, take('/data/output'))],
  [DATA, 'has no output in jobs of runs with webhook_url', ofRuns(isHookedRun, take('/data/output'))],
  [DATA, 'has no output in jobs of held runs', ofRuns(isHeldRun, take('/data/output')), 'jobs/every-output'],
  [DATA, 'has null as the error of a failed job', job(hasFailed, put('/data/error', null))],
  [ERROR, 'has a text as the error of a failed job', job(hasFailed, put('/data/error', 'PROVIDER_FAILURE'))],
  [
    ERROR,
    'has a list of errors in a failed job',
    job(
      hasFailed,
      put('/data/error', (error: unknown) => [error]),
    ),
  ],
  [
    ERROR,
    'has no message in the error of jobs with webhook_url',
    ofRuns(isHookedRun, take('/data/error/message')),
    'jobs/failed-error',
  ],
  [ERROR, 'has the code in small letters in a failed job', job(hasFailed, put('/data/error/code', 'provider_failure'))],
  [ERROR, 'has a number as the message of a failed job', job(hasFailed, put('/data/error/message', 500))],
  [OUTPUT, 'has a number as the type of output', job(isDone, put('/data/output/type', 1))],
  [
    OUTPUT,
    'has a map of items',
    job(
      isDone,
      put('/data/output/items', (items: unknown[]) => ({ ...items })),
    ),
  ],
  [
    OUTPUT,
    'has null among the items',
    job(
      isDone,
      put('/data/output/items', (items: unknown[]) => [...items, null]),
    ),
  ],
  [OUTPUT, 'has items without an address', job(isDone, take('/data/output/items/*/url'))],
  [OUTPUT, 'has addresses as numbers', job(isDone, put('/data/output/items/*/url', 7))],
  [
    OUTPUT,
    'has paths in jobs of held runs',
    ofRuns(isHeldRun, whenDone(put('/data/output/items/*/url', '/files/0.png'))),
  ],
  [
    OUTPUT,
    'has no type of items in jobs of runs with webhook_url',
    ofRuns(isHookedRun, whenDone(take('/data/output/items/*/type'))),
  ],
  [
    OUTPUT,
    'reads another type of output than it responded with',
    ofRuns(isSyncRun, whenDone(put('/data/output/type', 'audio'))),
    'jobs/same-output',
  ],
  [
    OUTPUT,
    'reads more files than it responded with',
    ofRuns(isSyncRun, whenDone(put('/data/output/items', (items: unknown[]) => [...items, ...items]))),
  ],
  [ID, 'does not know jobs of synchronous runs', ofRuns(isSyncRun, status(404))],
  [ID, 'does not know jobs of held runs', ofRuns(isHeldRun, status(404))],
  [ID, 'does not know jobs of runs with webhook_url', ofRuns(isHookedRun, status(404))],
  [ID, 'reads every job as the latest', latestJob()],
  ['3: the five statuses of a job', 'has the status running', job(isProcessing, put('/data/status', 'running'))],
  ['3: the five statuses of a job', 'has the status error', job(hasFailed, put('/data/status', 'error'))],
  [
    '3: the five statuses of a job',
    'has statuses in capitals',
    job(
      () => true,
      put('/data/status', (word: string) => word.toUpperCase()),
    ),
  ],
])
