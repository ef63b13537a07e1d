import { JOB_STATUSES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { type Finding, judge, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, show } from '../json.ts'
import { FIRST } from '../scenarios/runs.ts'
import { isUnfinished, jobStatus } from '../session/actions.ts'
import { isItsOwn, originOf } from './api-calls.ts'
import { judgeEvery, only, type Source } from './judge-world.ts'
import { AT_PROVIDER, absent, ERROR, hasOutput, holds, object, oneOf, outputShown, type Rule } from './rules.ts'
import { endOf, isBefore, type JobStory, type World } from './world.ts'

/** Every job, however it was run, with all that was seen of it. */
const JOBS: Source<JobStory> = {
  from: [FIRST.async, FIRST.default, FIRST.failingAsync],
  pick: ({ jobs }) => jobs.filter(({ reads }) => reads.length > 0),
  nothing: 'no job was polled',
}
/** Those whose run the specification accepts. */
const RIGHT = only(JOBS, ({ run }, { runs }) => runs.some(({ jobId }) => jobId === run.jobId))
const ENDED = only(JOBS, ({ end }) => end !== undefined, 'no job has ended')
const CANCELLED = only(
  { ...JOBS, from: [FIRST.cancelled, FIRST.cancelledProcessing] },
  (job) => job.run.response.status < 300 && job.run.says !== 'completed' && effectiveCancel(job) !== undefined,
  'no job was cancelled',
)
const TO_FAIL = only({ ...RIGHT, from: [FIRST.failingAsync] }, ({ run }) => run.shouldFail, 'none was to fail')

/** Files, read without the API key. */
const FILES: Source<ApiResponse> = {
  from: [FIRST.default, FIRST.async],
  pick: ({ session }) => session.files,
  nothing: 'no run has a file that can be read over HTTP',
}

/** Members of every poll, by the statuses of the job: where it has other ones, the member is not there. */
const MEMBERS: readonly [check: string, rules: Record<string, Rule>, statuses?: readonly string[]][] = [
  ['jobs/every-poll', { '/data': object }],
  ['jobs/status', { '/data/status': oneOf(...JOB_STATUSES) }],
  ['jobs/no-output-before', { '/data/output': absent }, ['queued', 'processing', 'failed', 'cancelled']],
  ['jobs/no-error', { '/data/error': absent, '/error': absent }, ['queued', 'processing', 'succeeded', 'cancelled']],
]

/** Every poll and cancel of every job (sections 2.4, 2.5, 3, 4.4 and 4.5). */
export const JOB_JUDGES: readonly Check[] = [
  ...MEMBERS.map(([id, rules, statuses]) =>
    judgeReads(id, { statuses }, (read) => [isReturned(read), ...holds(read, rules)]),
  ),
  judgeReads('jobs/every-output', { statuses: ['succeeded'] }, (read) => [hasOutput(read, '/data/output')]),
  judgeReads('jobs/failed-error', { statuses: ['failed'] }, (read) => holds(read, ERROR, '/data')),
  judgeReads('jobs/failed-code', { statuses: ['failed'], of: TO_FAIL }, (read) => holds(read, AT_PROVIDER, '/data')),
  judgeEvery('files/can-be-read', FILES, isFile),
  judgeEvery('jobs/every-end', RIGHT, endsAsItShould),
  judgeEvery('jobs/stays-ended', ENDED, staysEnded),
  judgeEvery('jobs/same-output', ENDED, sameOutputs),
  judgeEvery('cancel/every-cancel', CANCELLED, isCancelled),
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

/** Whether a poll shows one of these statuses. */
function isOf(read: ApiResponse | undefined, statuses: readonly unknown[]): boolean {
  return read !== undefined && statuses.includes(jobStatus(read))
}

/** Judges that the HTTP status is one of success: the specification names none. */
function isReturned(response: ApiResponse): Finding {
  const isRight = response.status >= 200 && response.status < 300
  return judge(isRight, `${originOf(response.exchange)}: status ${response.status}; expected one of success`, response)
}

/** A whole host may need the key: its files are not public, and the key is sent nowhere else. */
function isFile(response: ApiResponse, { session }: World): Finding {
  const hostOf = ({ exchange }: ApiResponse) => new URL(exchange.request.url).host
  const { status, text, headers } = response
  if (!isItsOwn({ response })) return skip(`status ${status}: the file could not be read`, response)
  const isOpen = session.files.some((file) => file.status === 200 && hostOf(file) === hostOf(response))
  if (!isOpen && (status === 401 || status === 403)) return skip(`status ${status}: the file is not public`, response)
  const type = headers.get('content-type') ?? 'no content type'
  const isRight = status === 200 && !text.startsWith('[0 bytes') && !/^text\/html/i.test(type)
  return judge(isRight, `the URL of an item returns status ${status}, ${type}, ${text}; expected a file`, response)
}

/** The first cancel that was accepted before the job was seen to have ended. */
function effectiveCancel({ cancels, end, outcome }: JobStory): ApiResponse | undefined {
  return cancels.find((cancel) => end === undefined || outcome === 'cancelled' || isBefore(cancel, end))
}

function isCancelled(job: JobStory, { session }: World): Finding {
  const { run, reads } = job
  const [cancel = job.cancels[0]] = [effectiveCancel(job)]
  const last = job.end ?? (cancel && reads.findLast((read) => isBefore(cancel, read)))
  if (cancel === undefined || last === undefined) return skip('the job was not polled after its cancel', run)
  const status = jobStatus(last)
  // A quick one may have ended first, where nothing after the cancel shows that it had not.
  const continued = reads.some((read) => isBefore(cancel, read) && isUnfinished(read))
  const isQuick = run.id !== session.targets.slow?.modelId && !continued
  if (isQuick && isOf(last, ['succeeded', 'failed']))
    return skip(`the job ${status}, perhaps before the cancel came; give a slow model`, [cancel, last])
  const isRight = cancel.status < 300 && status === 'cancelled'
  return judge(isRight, `a cancel got status ${cancel.status}; then /data/status is ${show(status)}`, [cancel, last])
}

/** Judges that a job ends as its run should, and is cancelled by its own cancel alone. */
function endsAsItShould(job: JobStory, { session }: World): Finding {
  const { run, end, reads, cancels } = job
  const last = end ?? reads.at(-1) ?? run.response
  const status = jobStatus(last)
  if (status === 'cancelled') {
    const isOwn = cancels.some((cancel) => cancel.status < 300 && isBefore(cancel, last))
    return judge(isOwn, 'a job is cancelled without a cancel of it that was accepted', [run, last])
  }
  if (effectiveCancel(job) !== undefined) return skip('the job was cancelled', last)
  const hasTime = end === undefined && endOf(last) - endOf(run.response) < session.options.limits.jobMs
  if (hasTime && (isUnfinished(last) || last.status >= 300)) return skip('the job could not be polled to its end', last)
  if (run.shouldFail)
    return judge(status === 'failed', `/data/status of a job that should fail is ${show(status)}`, last)
  if (status === 'failed') return skip('the provider failed', last)
  return judge(
    status === 'succeeded',
    `after ${reads.length} polls /data/status is ${show(status)}; expected an end`,
    last,
  )
}

/** Judges that every read after the end shows that end. */
function staysEnded({ end, reads, cancels }: JobStory): readonly Finding[] {
  if (end === undefined) return []
  const later = reads.filter((read) => isBefore(end, read))
  return later.map((read) => {
    // What the cancel of a finished job does is open (section 3).
    const wasCancelledLater = cancels.some((cancel) => isBefore(cancel, read))
    if (wasCancelledLater && isOf(read, ['cancelled'])) return skip('the suite cancelled the job that had ended', read)
    const [was, is] = [end, read].map(jobStatus)
    return judge(was === is, `a job was ${show(was)}, and is ${show(is)} later`, [end, read])
  })
}

function sameOutputs({ run: { response }, reads }: JobStory): Finding[] {
  const outputs = reads.filter((read) => isOf(read, ['succeeded'])).map((read) => [read, '/data/output'] as const)
  const isShown = isRecord(at(response.json, '/output'))
  const [first = outputs[0]] = isShown ? [[response, '/output'] as const] : []
  return first === undefined ? [] : outputs.map((other) => sameOutput(first, other))
}

type ShownOutput = readonly [Pick<ApiResponse, 'json' | 'exchange'>, pointer: string]

export function sameOutput([one, pointer]: ShownOutput, [other, otherPointer]: ShownOutput): Finding {
  const [expected, shown] = [outputShown(one, pointer), outputShown(other, otherPointer)]
  return judge(shown === expected, `the output of a job has ${shown}; it had ${expected} before`, [one, other])
}
