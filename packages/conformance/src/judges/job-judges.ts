import { JOB_STATUSES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { type Finding, judge, observe, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, pointersOf, show } from '../json.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { jobStatus, saysCancelled } from '../session/actions.ts'
import { judgeAll, judgeEvery, observeFirst, only, type Source } from './judge-every.ts'
import { OF_JOBS, observeMore, observeValues } from './more-members.ts'
import { AT_PROVIDER, ERROR, hasOutput, holds, none, object, oneOf, type Rule, sameOutput, shownOnly } from './rules.ts'
import { allCancels, endOf, isBefore, type JobStory, startOf, type World } from './world.ts'

/** Every job, however it was run, with all that was seen of it. */
const JOBS: Source<JobStory> = {
  from: [FIRST.async, FIRST.default, FIRST.failingAsync, ...LASTS],
  pick: ({ jobs }) => jobs.filter(({ reads }) => reads.length > 0),
  nothing: 'no job was polled',
}
/** Those whose run the specification accepts. */
const RIGHT = only(JOBS, ({ run }, { runs }) => runs.some(({ jobId }) => jobId === run.jobId))
const ENDED = only(JOBS, ({ end }) => end !== undefined, 'no job has ended')
const CANCELLED = only(
  { ...JOBS, from: [FIRST.cancelled, FIRST.cancelledProcessing, ...LASTS] },
  (job) => job.run.response.status < 300 && job.run.says !== 'completed' && effectiveCancel(job) !== undefined,
  'no job was cancelled',
)
const TO_FAIL = only(
  { ...RIGHT, from: [FIRST.failingAsync, ...LASTS] },
  ({ run }) => run.shouldFail,
  'none was to fail',
)
/** A job of an asynchronous run that succeeds, polled from its start: it shows what the specification leaves open. */
const ASYNC = only(
  { ...RIGHT, from: [FIRST.async, ...LASTS] },
  ({ run, end, outcome, cancels }) =>
    run.mode === 'async' && outcome === 'succeeded' && !cancels.some((one) => end && isBefore(one, end)),
  'no asynchronous run has succeeded',
)

/** Polls that show a job which continues. */
const UNFINISHED: Source<{ response: ApiResponse }> = {
  from: ASYNC.from,
  pick: (world) =>
    RIGHT.pick(world).flatMap(({ reads }) =>
      reads.filter((read) => isAccepted(read) && isContinued(read)).map((response) => ({ response })),
    ),
  nothing: 'every job had ended when it was first polled',
}

/** Cancels that were accepted: their response is open. */
const CANCELS: Source<{ response: ApiResponse }> = {
  from: [FIRST.cancelled],
  pick: ({ jobs }) => jobs.flatMap(({ cancels }) => cancels.filter(isAccepted).map((response) => ({ response }))),
  nothing: 'no cancel was accepted',
}

/** Members of every poll, by the statuses of the job: where it has other ones, the member is not there. */
const MEMBERS: readonly [check: string, rules: Record<string, Rule>, statuses?: readonly string[]][] = [
  ['jobs/every-poll', { '/data': object }],
  ['jobs/status', { '/data/status': oneOf(...JOB_STATUSES) }],
  ['jobs/no-output-before', { '/data/output': none }, ['queued', 'processing', 'failed', 'cancelled']],
  ['jobs/no-error', { '/data/error': none, '/error': none }, ['queued', 'processing', 'succeeded', 'cancelled']],
]

/** Every poll and cancel of every job (sections 2.4, 2.5, 3, 4.4 and 4.5). */
export const JOB_JUDGES: readonly Check[] = [
  ...MEMBERS.map(([id, rules, statuses]) =>
    judgeReads(id, { statuses }, (read) => [isReturned(read), ...holds(read, rules)]),
  ),
  judgeReads('jobs/every-output', { statuses: ['succeeded'] }, (read) => [hasOutput(read, '/data/output')]),
  judgeReads('jobs/failed-error', { statuses: ['failed'] }, (read) => holds(read, ERROR, '/data')),
  judgeReads('jobs/failed-code', { statuses: ['failed'], of: TO_FAIL }, (read) => holds(read, AT_PROVIDER, '/data')),
  judgeEvery('jobs/every-end', RIGHT, endsAsItShould),
  judgeEvery('jobs/stays-ended', ENDED, staysEnded),
  judgeEvery('jobs/same-output', ENDED, ({ run, reads }) => {
    const [shown] = [run.response].filter(({ json }) => isRecord(at(json, '/output')))
    const outputs = reads.filter((read) => isOf(read, ['succeeded']))
    const [first = outputs[0], pointer] = shown ? [shown, '/output'] : [outputs[0], '/data/output']
    return outputs.map((read) => sameOutput([first ?? read, pointer], [read, '/data/output']))
  }),
  judgeReads('jobs/own-fields', {}, (read, { run }) => {
    const charged = isOf(read, ['succeeded']) && run.price !== undefined ? { '/credits_used': oneOf(run.price) } : {}
    return shownOnly(read, '/data', { ...ownFields(run), ...charged })
  }),
  judgeEvery('cancel/every-cancel', CANCELLED, isCancelled),
  judgeEvery('cancel/no-credits-shown', CANCELLED, showsNoCredits),
  judgeAll('jobs/more-fields', JOBS, (jobs) => {
    const reads = jobs.flatMap((job) => job.reads.filter(isAccepted))
    return observeMore(reads, OF_JOBS, { below: '/data', isShort: true })
  }),
  judgeAll('jobs/member-values', JOBS, (_, world) => observeValues(world)),
  judgeAll('jobs/output-type-values', ASYNC, ([{ end }]) => {
    const type = at(end?.json, '/data/output/type')
    return observe(typeof type === 'string' ? type : null, `/data/output/type is ${show(type)}`, end ?? [])
  }),
  observeFirst('cancel/response', CANCELS, ({ response }) => pointersOf(response.json)),
  observeFirst('cancel/response-status', CANCELS, ({ response }) => response.status),
  observeFirst('jobs/status-code', UNFINISHED, ({ response }) => response.status),
  observeFirst('jobs/absent-fields', UNFINISHED, ({ response }) =>
    at(response.json, '/data/output') === null ? 'null' : 'left-out',
  ),
  judgeAll('jobs/queued-time', ASYNC, ([{ reads }]) => {
    const ms = queuedMs(reads)
    return observe(ms, `left the queue about ${ms} ms after the response`, reads)
  }),
  judgeAll('jobs/status-sequence', ASYNC, ([{ reads }]) => {
    const seen = reads.map((read) => String(jobStatus(read)))
    const sequence = seen.filter((status, index) => status !== seen[index - 1])
    return observe(sequence, sequence.join(', then '), reads)
  }),
]

/** Judges each poll that shows one of these statuses. Default: all of every job. */
function judgeReads(
  id: string,
  { of = JOBS, statuses }: { of?: Source<JobStory>; statuses?: readonly string[] | undefined },
  judgeOne: (read: ApiResponse, job: JobStory) => readonly Finding[],
): Check {
  const isWanted = (read: ApiResponse) => statuses === undefined || isOf(read, statuses)
  return judgeEvery(id, of, (job) => job.reads.filter(isWanted).flatMap((read) => judgeOne(read, job)))
}

function isAccepted({ status }: ApiResponse): boolean {
  return status < 300
}

/** Whether a poll shows one of these statuses. */
function isOf(read: ApiResponse | undefined, statuses: readonly unknown[]): boolean {
  return read !== undefined && statuses.includes(jobStatus(read))
}

/** Whether a poll shows a job that continues. */
export function isContinued(read: ApiResponse): boolean {
  return isOf(read, ['queued', 'processing'])
}

/** Judges that the HTTP status is one of success: the specification names none. */
function isReturned(response: ApiResponse): Finding {
  const isRight = response.status >= 200 && response.status < 300
  return judge(isRight, `status ${response.status}; expected one of success`, response)
}

/** What may be repeated of a run. */
export function ownFields({ id, jobId, response }: JobStory['run']): Record<string, Rule> {
  const requestId = at(response.json, '/request_id')
  return { '/job_id': oneOf(jobId), '/model_id': oneOf(id), ...(requestId ? { '/request_id': oneOf(requestId) } : {}) }
}

/** Between the last read that showed the queue and the first that did not. */
function queuedMs(reads: readonly ApiResponse[]): number {
  const left = reads.findIndex((read) => jobStatus(read) !== 'queued')
  const [first, before, after] = [reads[0], reads[left - 1], reads[left]]
  if (first === undefined || before === undefined || after === undefined) return 0
  return Math.round((endOf(before) + endOf(after)) / 2 - startOf(first.exchange))
}

/** The first cancel that was accepted before the job was seen to have ended. */
function effectiveCancel({ cancels, end, outcome }: JobStory): ApiResponse | undefined {
  return cancels.find((cancel) => end === undefined || outcome === 'cancelled' || isBefore(cancel, end))
}

function showsNoCredits({ run, cancels, reads }: JobStory): readonly Finding[] {
  const shown = [...cancels, ...reads.filter((read) => isOf(read, ['cancelled']))]
  const free = { '/credits_used': oneOf(0), '/data/credits_used': oneOf(0) }
  const own = { ...ownFields(run), '/status': oneOf(...JOB_STATUSES) }
  return [
    ...shown.flatMap((response) => shownOnly(response, '', free)),
    ...cancels.filter(isAccepted).flatMap((cancel) => ['', '/data'].flatMap((below) => shownOnly(cancel, below, own))),
  ]
}

function isCancelled(job: JobStory, { session, jobs }: World): Finding {
  const { run, reads } = job
  const [cancel = job.cancels[0]] = [effectiveCancel(job)]
  const last = job.end ?? reads.at(-1)
  if (cancel === undefined || last === undefined) return skip('the job was not polled', run)
  const status = jobStatus(last)
  // A quick one may have ended first, where nothing after the cancel shows that it had not.
  const continued = reads.some((read) => isBefore(cancel, read) && isContinued(read))
  // Some services say so of jobs that had ended.
  const isSaidLate = ({ end, cancels }: JobStory) =>
    end && cancels.some((one) => isBefore(end, one) && saysCancelled(one))
  const isSaid = saysCancelled(cancel) && !jobs.some((one) => one.outcome !== 'cancelled' && isSaidLate(one))
  const isQuick = run.id !== session.targets.slow?.modelId && !continued && !isSaid
  const mayHaveEnded = isQuick && isOf(last, ['succeeded', 'failed'])
  if (mayHaveEnded) return skip(`the job ${status}, perhaps before the cancel came; give a slow model`, [cancel, last])
  const isRight = cancel.status < 300 && status === 'cancelled'
  return judge(isRight, `the cancel got ${cancel.status}; the job is ${show(status)}`, [cancel, last])
}

/** Judges that a job ends as its run should, and is cancelled by its own cancel alone. */
function endsAsItShould(job: JobStory, { session }: World): Finding {
  const { run, end, reads } = job
  const last = end ?? reads.at(-1) ?? run.response
  const status = jobStatus(last)
  if (status === 'cancelled') {
    const isOwn = allCancels(job).some((cancel) => cancel.status < 300 && isBefore(cancel, last))
    return judge(isOwn, 'the job is cancelled without a cancel of it that was accepted', [run, last])
  }
  if (effectiveCancel(job) !== undefined) return skip('the job was cancelled', last)
  const hasTime = end === undefined && endOf(last) - endOf(run.response) < session.options.limits.jobMs
  if (hasTime) return skip('the job could not be polled to its end', last)
  if (run.shouldFail) return judge(status === 'failed', `the job is ${show(status)}; expected failed`, last)
  if (status === 'failed') return skip('the provider failed', last)
  return judge(status === 'succeeded', `after ${reads.length} reads the job is ${show(status)}; expected an end`, last)
}

/** Judges that every read after the end shows that end. */
function staysEnded(job: JobStory): readonly Finding[] {
  const { end, reads } = job
  if (end === undefined) return []
  return reads
    .filter((read) => isBefore(end, read))
    .map((read) => {
      // What the cancel of a finished job does is open (section 3).
      const wasCancelledLater = allCancels(job).some((cancel) => isBefore(cancel, read))
      if (wasCancelledLater && isOf(read, ['cancelled']))
        return skip('the suite cancelled the job that had ended', read)
      const detail = `the job was ${endShown(end)} (status, type and number of files, error code), and is ${endShown(read)} later`
      return judge(endShown(end) === endShown(read), detail, [end, read])
    })
}

function endShown({ json }: ApiResponse): string {
  const items = itemsOf(at(json, '/data/output/items')).length
  return show([at(json, '/data/status'), at(json, '/data/output/type'), items, at(json, '/data/error/code')])
}
