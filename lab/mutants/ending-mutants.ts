import { at } from '../../packages/conformance/src/json.ts'
import { hasFailed, instead, isCancelled, isDone, jobOf, ofRuns } from './edits.ts'
import {
  type Edit,
  edited,
  isFor,
  type Mutation,
  mutants,
  put,
  type Send,
  status,
  take,
  type WireRequest,
  type WireResponse,
  when,
} from './mutation.ts'

const FINISHED = '3: succeeded, failed and cancelled are ends; no transition leads out of them'
const CANCEL = '3: DELETE makes a queued or processing job cancelled'
const PROVIDER_STATUS =
  '4.4: when the job is still processing, the service asks the provider and returns the result if ready'
const NEVER_STARTED = { status: 'processing' }

const job = (...edits: Parameters<typeof when>) => edited('getJob', when(...edits))
const isJob = (request: WireRequest) => isFor(request, 'getJob')

/** Changes what is read of a job once it was read like this so many times. */
function afterReads(isCounted: (response: WireResponse) => boolean, times: number, ...edits: Edit[]): Mutation {
  return {
    wrap: (send) => {
      const counts = new Map<string, number>()
      return async (request) => {
        const response = await send(request)
        if (!isJob(request) || !isCounted(response)) return response
        const count = (counts.get(jobOf(request)) ?? 0) + 1
        counts.set(jobOf(request), count)
        if (count > times) for (const edit of edits) edit(response, request)
        return response
      }
    },
  }
}

/** Changes what is read of a job so long after it was first read like this. */
function later(isCounted: (response: WireResponse) => boolean, ms: number, ...edits: Edit[]): Mutation {
  return {
    wrap: (send, server) => {
      const firsts = new Map<string, number>()
      return async (request) => {
        const response = await send(request)
        if (!isJob(request) || !isCounted(response)) return response
        const first = firsts.get(jobOf(request)) ?? server.clock.now()
        firsts.set(jobOf(request), first)
        if (server.clock.now() - first >= ms) for (const edit of edits) edit(response, request)
        return response
      }
    },
  }
}

/** Reads processing until so long after the end could first be read. */
function stale(ms: number): Mutation {
  return {
    wrap: (send, server) => {
      const ends = new Map<string, number>()
      return async (request) => {
        const response = await send(request)
        if (!isJob(request) || !isDone(response)) return response
        const end = ends.get(jobOf(request)) ?? server.clock.now()
        ends.set(jobOf(request), end)
        if (server.clock.now() - end < ms) put('/data', NEVER_STARTED)(response, request)
        return response
      }
    },
  }
}

/** With one job, cancels all that were run. */
function cancelsAll(): Mutation {
  return {
    wrap: (send) => {
      const jobs = new Set<string>()
      return async (request) => {
        const response = await send(request)
        const jobId = at(response.json, '/job_id')
        if (isFor(request, 'runModel') && typeof jobId === 'string') jobs.add(jobId)
        if (isFor(request, 'cancelJob') && response.status < 300) await cancelEach(send, request, jobs)
        return response
      }
    },
  }
}

async function cancelEach(send: Send, request: WireRequest, jobs: Iterable<string>): Promise<void> {
  for (const id of jobs) await send({ ...request, url: new URL(`/v1/jobs/${id}`, request.url) })
}

/** Cancels at the second request. */
function cancelsAtSecond(): Mutation {
  return {
    wrap: (send) => {
      const asked = new Set<string>()
      return async (request) => {
        if (!isFor(request, 'cancelJob') || asked.has(jobOf(request))) return send(request)
        asked.add(jobOf(request))
        return { ...(await send({ ...request, method: 'GET' })) }
      }
    },
  }
}

const isHeldRun = (response: WireResponse, { body }: WireRequest) =>
  response.status === 202 && at(body, '/sync') === undefined && at(body, '/webhook_url') === undefined

/** Ends of jobs, cancels, and what stays of both. */
export const ENDING_MUTANTS = mutants([
  [FINISHED, 'shows a result once', afterReads(isDone, 1, status(404))],
  [FINISHED, 'shows the output once', afterReads(isDone, 1, take('/data/output'))],
  [FINISHED, 'shows an error once', afterReads(hasFailed, 1, take('/data/error'))],
  [FINISHED, 'forgets a result after half a minute', later(isDone, 30_000, status(404))],
  [FINISHED, 'forgets a failure after half a minute', later(hasFailed, 30_000, status(404))],
  [FINISHED, 'reads processing again after a while', later(isDone, 30_000, put('/data', NEVER_STARTED))],
  [
    FINISHED,
    'reads failed after a while',
    later(isDone, 30_000, put('/data', { status: 'failed', error: { code: 'EXPIRED', message: 'Too late.' } })),
    'jobs/stays-ended',
  ],
  [
    FINISHED,
    'reads succeeded for a failed job after a while',
    later(hasFailed, 20_000, put('/data/status', 'succeeded')),
  ],
  [
    FINISHED,
    'lets a cancelled job end after a while',
    later(isCancelled, 60_000, put('/data', { status: 'succeeded', output: { type: 'image', items: [] } })),
  ],
  [FINISHED, 'lets a cancelled job fail after a while', later(isCancelled, 60_000, put('/data/status', 'failed'))],
  [
    FINISHED,
    'forgets a cancel at the second read',
    afterReads(isCancelled, 1, put('/data', NEVER_STARTED)),
    'jobs/stays-ended',
  ],
  [CANCEL, 'responds 404 for a cancelled job', job(isCancelled, status(404))],
  [CANCEL, 'has a status deleted', job(isCancelled, put('/data/status', 'deleted'))],
  [CANCEL, 'cancels all jobs with one', cancelsAll(), 'jobs/every-end'],
  [CANCEL, 'cancels at the second request', cancelsAtSecond()],
  [
    CANCEL,
    'responds 500 to a cancel',
    edited(
      'cancelJob',
      when(({ status: code }) => code < 300, status(500)),
    ),
  ],
  [
    CANCEL,
    'responds 403 to a cancel',
    edited(
      'cancelJob',
      when(({ status: code }) => code < 300, status(403)),
    ),
  ],
  [
    CANCEL,
    'rejects the cancel of a processing job',
    instead(
      (request) => isFor(request, 'cancelJob'),
      async (request, send, server) => {
        const isBusy = jobOf(request).startsWith('job_') && server.job(jobOf(request)).status === 'processing'
        if (!isBusy) return send(request)
        return {
          ...(await send({ ...request, method: 'GET' })),
          status: 409,
          json: { error: { code: 'BUSY', message: 'No.' } },
        }
      },
    ),
  ],
  [
    '3: cancelled, cancelled by the user',
    'cancels a held run when its time is over',
    ofRuns(isHeldRun, put('/data', { status: 'cancelled' })),
  ],
  [PROVIDER_STATUS, 'reads a job as processing for a minute after its end', stale(60_000), 'webhooks/after-the-end'],
])
