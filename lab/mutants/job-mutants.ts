import { at } from '../../packages/conformance/src/json.ts'
import { FAILING_MODEL } from '../../packages/conformance/test/catalog.ts'
import {
  cancel,
  changes,
  contentType,
  hasFailed,
  hasWebhook,
  type IsWanted,
  isAsync,
  isCancelled,
  isCompleted,
  isDone,
  isHeld,
  isSuccess,
  job,
  jobOf,
  jobsOf,
  put,
  reads,
  responses,
  run,
} from './edits.ts'
import { after, editRequests, instead, isFor, type Mutants, type Mutation, type WireRequest } from './mutation.ts'

const isProcessing = reads('processing')
const isUnfinished: IsWanted = (response) => reads('queued')(response) || isProcessing(response)
const isHookedRun: IsWanted = (response, request) => isSuccess(response) && hasWebhook(request)
const isFile = ({ url }: WireRequest) => url.pathname.startsWith('/files/')
const ofFailing: IsWanted = (_, { url }) => url.pathname.includes(encodeURIComponent(FAILING_MODEL))

const done = job.where(isDone)
const failed = job.where(hasFailed)
const cancelled = job.where(isCancelled)
const unfinished = job.where(isUnfinished)
const flat = put('', (body: { data: unknown }) => body.data)
const OUTPUT = { type: 'image', items: [] }
const CONTINUED = { status: 'processing' }
const BUSY = { status: 409, json: { error: { code: 'BUSY', message: 'No.' } } }
const EXPIRED = { status: 'failed', error: { code: 'EXPIRED', message: 'Too late.' } }

/** The polls of a job once it was read like this so many times. */
const afterReads = (isCounted: IsWanted, times: number) =>
  changes((edit) => {
    const counts = new Map<string, number>()
    return job.where(isCounted).edit((response, request) => {
      const count = (counts.get(jobOf(request)) ?? 0) + 1
      counts.set(jobOf(request), count)
      if (count > times) edit(response, request)
    })
  })

/** The polls of a job so long after it was first read like this, or until then. */
const since = (isCounted: IsWanted, isNow: (ms: number) => boolean) =>
  changes((edit) => {
    const firsts = new Map<string, number>()
    return after((response, request, { server }) => {
      if (!isFor(request, 'getJob') || !isCounted(response, request)) return
      const first = firsts.get(jobOf(request)) ?? server.clock.now()
      firsts.set(jobOf(request), first)
      if (isNow(server.clock.now() - first)) edit(response, request)
    })
  })
const later = (isCounted: IsWanted, ms: number) => since(isCounted, (passed) => passed >= ms)

/** Replaces the cancels that find their job like this by a read of it. */
function readsInstead(isWanted: (status: string) => boolean, response: object): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      const isOfJob = isFor(request, 'cancelJob') && jobOf(request).startsWith('job_')
      if (!isOfJob || !isWanted(server.job(jobOf(request)).status)) return send(request)
      return { ...(await send({ ...request, method: 'GET' })), ...response }
    },
  }
}
const deaf = (word: string) => readsInstead((status) => status === word, { status: 200 })

/** Cancels at the second request. */
function cancelsAtSecond(): Mutation {
  const asked = new Set<string>()
  return instead(
    (request) => isFor(request, 'cancelJob') && asked.size < asked.add(jobOf(request)).size,
    (request, { send }) => send({ ...request, method: 'GET' }),
  )
}

/** With one job, cancels all that were run. */
function cancelsAll(): Mutation {
  const jobs = new Set<unknown>()
  return after(async (response, request, { send }) => {
    if (isFor(request, 'runModel')) jobs.add(at(response.json, '/job_id'))
    if (!isFor(request, 'cancelJob') || !isSuccess(response)) return
    for (const id of jobs) await send({ ...request, url: new URL(`/v1/jobs/${id}`, request.url) })
  })
}

/** Reads every job as the one that was run last. */
function latestJob(): Mutation {
  let latest: unknown
  return {
    wrap: (send) => async (request) => {
      if (isFor(request, 'getJob') && latest !== undefined && jobOf(request).startsWith('job_'))
        request.url.pathname = `/v1/jobs/${latest}`
      const response = await send(request)
      if (isFor(request, 'runModel')) latest = at(response.json, '/job_id') ?? latest
      return response
    },
  }
}

function hidingEverySecondFile(): Mutation {
  let count = 0
  return responses(isFile)
    .where(() => count++ % 2 === 1)
    .status(403)
}

/** What polling reads, whichever run made the job: results, ends, cancels. */
export const JOB_MUTANTS: Mutants = {
  'jobs/every-poll': {
    'does not wrap the job in data': job.put('', (body: { data: unknown }) => body.data),
    'responds with 404 while the job continues': unfinished.status(404),
    'wraps no failed job in data': failed.edit(flat),
    'wraps no cancelled job in data': cancelled.edit(flat),
    'wraps no unfinished job in data': unfinished.edit(flat),
    'wraps the job in a list': job.put('/data', (data: unknown) => [data]),
    'wraps the job in job': job.put('', ({ data }: { data: unknown }) => ({ job: data })),
    'does not know jobs of synchronous runs': jobsOf(isCompleted).status(404),
    'does not know jobs of held runs': jobsOf(isHeld).status(404),
    'does not know jobs of runs with webhook_url': jobsOf(isHookedRun).status(404),
    'shows a result once': afterReads(isDone, 1).status(404),
    'forgets a result after half a minute': later(isDone, 30_000).status(404),
    'forgets a failure after half a minute': later(hasFailed, 30_000).status(404),
    'responds 404 for a cancelled job': cancelled.status(404),
  },
  'jobs/status': {
    'says completed in the job status': done.put('/data/status', 'completed'),
    'has a status of its own': job.where(reads('queued')).put('/data/status', 'starting'),
    'has no status in data': unfinished.take('/data/status'),
    'has the status running': job.where(isProcessing).put('/data/status', 'running'),
    'has the status error': failed.put('/data/status', 'error'),
    'has statuses in capitals': job.put('/data/status', (word: string) => word.toUpperCase()),
    'has a status deleted': cancelled.put('/data/status', 'deleted'),
  },
  'jobs/every-end': {
    'never ends an asynchronous run': job.put('/data', { status: 'processing' }),
    'says succeeded for a failed job': failed.put('/data/status', 'succeeded'),
    'runs a model again that failed': editRequests('runModel', ({ url }) => {
      url.pathname = url.pathname.replace(encodeURIComponent(FAILING_MODEL), 'aurora-image')
    }),
    'cancels all jobs with one': cancelsAll(),
    'cancels a held run when its time is over': jobsOf(isHeld).put('/data', { status: 'cancelled' }),
  },
  'jobs/every-output': {
    'has no type of output': done.take('/data/output/type'),
    'has one item instead of a list': done.put('/data/output/items', (items: unknown[]) => items[0]),
    'has items without a type': done.take('/data/output/items/*/type'),
    'has paths instead of addresses': done.put('/data/output/items/*/url', '/files/0.png'),
    'has no output when the job has succeeded': done.take('/data/output'),
    'has null as the output of a job': done.put('/data/output', null),
    'has the output beside data': done.put('', ({ data }: { data: { output: unknown } }) => ({
      data: { ...data, output: undefined },
      output: data.output,
    })),
    'has no output in jobs of synchronous runs': jobsOf(isCompleted).take('/data/output'),
    'has no output in jobs of runs with webhook_url': jobsOf(isHookedRun).take('/data/output'),
    'has no output in jobs of held runs': jobsOf(isHeld).take('/data/output'),
    'has a number as the type of output': done.put('/data/output/type', 1),
    'has a map of items': done.put('/data/output/items', (items: unknown[]) => ({ ...items })),
    'has null among the items': done.put('/data/output/items', (items: unknown[]) => [...items, null]),
    'has items without an address': done.take('/data/output/items/*/url'),
    'has addresses as numbers': done.put('/data/output/items/*/url', 7),
    'has paths in jobs of held runs': jobsOf(isHeld).where(isDone).put('/data/output/items/*/url', '/files/0.png'),
    'has no type of items in jobs of runs with webhook_url': jobsOf(isHookedRun)
      .where(isDone)
      .take('/data/output/items/*/type'),
    'shows the output once': afterReads(isDone, 1).take('/data/output'),
  },
  'jobs/same-output': {
    'reads fewer files than the run returned': done.put('/data/output/items', []),
    'reads another type of output than it responded with': jobsOf(isCompleted)
      .where(isDone)
      .put('/data/output/type', 'audio'),
    'reads more files than it responded with': jobsOf(isCompleted)
      .where(isDone)
      .put('/data/output/items', (items: unknown[]) => [...items, ...items]),
  },
  'jobs/no-output-before': {
    'has an output before the job has ended': unfinished.put('/data/output', OUTPUT),
  },
  'jobs/no-error': {
    'has an error in a job that succeeded': done.put('/data/error', { code: 'NONE', message: '' }),
  },
  'jobs/failed-code': {
    'has another code for a provider that failed': failed.put('/data/error/code', 'FAILED'),
    'has no error in a failed job': failed.take('/data/error'),
    'has null as the error of a failed job': failed.put('/data/error', null),
    'has a text as the error of a failed job': failed.put('/data/error', 'PROVIDER_FAILURE'),
    'has a list of errors in a failed job': failed.put('/data/error', (error: unknown) => [error]),
    'has the code in small letters in a failed job': failed.put('/data/error/code', 'provider_failure'),
    'shows an error once': afterReads(hasFailed, 1).take('/data/error'),
  },
  'jobs/failed-error': {
    'has no message in a failed job': failed.take('/data/error/message'),
    'has no message in the error of jobs with webhook_url': jobsOf(isHookedRun).take('/data/error/message'),
    'has a number as the message of a failed job': failed.put('/data/error/message', 500),
  },
  'files/can-be-read': {
    'has no file at the address of an item': responses(isFile).status(404),
    'has a page at the address of an item': responses(isFile).edit(contentType('text/html')),
    'needs a key for every second file': hidingEverySecondFile(),
  },
  'cancel/every-cancel': {
    'ignores the cancel of a queued job': deaf('queued'),
    'rejects the cancel of a queued job': cancel.status(409),
    'spells it canceled': cancelled.put('/data/status', 'canceled'),
    'ignores the cancel of a processing job': deaf('processing'),
    'says failed for a cancelled job': cancelled.put('/data/status', 'failed'),
    'cancels at the second request': cancelsAtSecond(),
    'responds 500 to a cancel': cancel.where(isSuccess).status(500),
    'responds 403 to a cancel': cancel.where(isSuccess).status(403),
    'rejects the cancel of a processing job': readsInstead((status) => status === 'processing', BUSY),
  },
  'runs/accepted': {
    'rejects a right input of the model that fails': run
      .where(ofFailing)
      .where((_, request) => isAsync(request))
      .status(400),
  },
  'jobs/stays-ended': {
    'reads every job as the latest': latestJob(),
    'reads processing again after a while': later(isDone, 30_000).put('/data', CONTINUED),
    'reads failed after a while': later(isDone, 30_000).put('/data', EXPIRED),
    'reads succeeded for a failed job after a while': later(hasFailed, 20_000).put('/data/status', 'succeeded'),
    'lets a cancelled job end after a while': later(isCancelled, 60_000).put('/data', {
      status: 'succeeded',
      output: OUTPUT,
    }),
    'lets a cancelled job fail after a while': later(isCancelled, 60_000).put('/data/status', 'failed'),
    'forgets a cancel at the second read': afterReads(isCancelled, 1).put('/data', CONTINUED),
  },
  'webhooks/after-the-end': {
    'reads a job as processing for a minute after its end': since(isDone, (ms) => ms < 60_000).put('/data', CONTINUED),
  },
}
