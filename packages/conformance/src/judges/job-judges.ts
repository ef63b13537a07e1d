import { JOB_STATUSES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { cancelledProcessing, cancelledQueued } from '../checks/cancel.ts'
import { LASTS } from '../checks/ends.ts'
import { asyncJob, defaultRunJob, failingJob } from '../checks/runs.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, itemsOf, show } from '../json.ts'
import { type Finding, judge, pass, skip } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { hasObject, hasText, hasValue, isSuccess, lacks } from '../judge/responses.ts'
import { jobStatus } from '../session/jobs.ts'
import { judgeEvery, only, type Source } from './judge-every.ts'
import { allCancels, endOf, isBefore, type JobStory, type World } from './world.ts'

/** Every job, however it was run, with all that was seen of it. */
const JOBS: Source<JobStory> = {
  from: [asyncJob, defaultRunJob, failingJob, ...LASTS],
  pick: ({ jobs }) => jobs.filter(({ reads }) => reads.length > 0),
  nothing: 'no job was polled',
}
/** Those whose run the specification accepts. */
const RIGHT = only(JOBS, ({ run }, { runs }) => runs.some(({ jobId }) => jobId === run.jobId), JOBS.nothing)
const FAILING = only({ ...RIGHT, from: [failingJob, ...LASTS] }, ({ run }) => run.shouldFail, 'no job was to fail')
const ENDED = only(JOBS, ({ end }) => end !== undefined, 'no job has ended')
const CANCELLED = only(
  { ...JOBS, from: [cancelledQueued, cancelledProcessing, ...LASTS] },
  wasCancelled,
  'no job was cancelled',
)

const isStatus = (read: ApiResponse, ...wanted: readonly unknown[]) => wanted.includes(jobStatus(read))

/** Every poll and cancel of every job (sections 2.4, 2.5, 3, 4.4 and 4.5). */
export const JOB_JUDGES: readonly Check[] = [
  judgeEvery('jobs/every-poll', JOBS, ({ reads }) =>
    reads.flatMap((read) => [isSuccess(read), hasObject(read, '/data')]),
  ),
  judgeEvery('jobs/status', JOBS, ({ reads }) => reads.map((read) => hasValue(read, '/data/status', ...JOB_STATUSES))),
  judgeEvery('jobs/every-output', JOBS, ({ reads }) =>
    reads.filter((read) => isStatus(read, 'succeeded')).map((read) => hasOutput(read, '/data/output')),
  ),
  judgeEvery('jobs/no-output-before', JOBS, ({ reads }) =>
    reads.filter((read) => !isStatus(read, 'succeeded')).map((read) => lacks(read, '/data/output')),
  ),
  judgeEvery('jobs/no-error', JOBS, ({ reads }) =>
    reads.filter((read) => !isStatus(read, 'failed')).map((read) => lacks(read, '/data/error')),
  ),
  judgeEvery('jobs/failed-error', JOBS, ({ reads }) =>
    reads
      .filter((read) => isStatus(read, 'failed'))
      .flatMap((read) => [hasText(read, '/data/error/code'), hasText(read, '/data/error/message')]),
  ),
  judgeEvery('jobs/failed-code', FAILING, ({ reads }) =>
    reads
      .filter((read) => isStatus(read, 'failed'))
      .map((read) => hasValue(read, '/data/error/code', 'PROVIDER_FAILURE')),
  ),
  judgeEvery('jobs/every-end', RIGHT, endsAsItShould),
  judgeEvery('jobs/stays-ended', ENDED, staysEnded),
  judgeEvery('jobs/same-output', ENDED, ({ run, reads }) => {
    const [shown] = [run.response].filter(({ json }) => at(json, '/output') !== undefined)
    const outputs = reads.filter((read) => isStatus(read, 'succeeded'))
    const [first = outputs[0], pointer] = shown ? [shown, '/output'] : [outputs[0], '/data/output']
    return outputs.map((read) => isSameOutput([first ?? read, pointer], [read, '/data/output']))
  }),
  judgeEvery('jobs/own-fields', JOBS, ({ run, jobId, reads }) =>
    reads.flatMap((read) => [
      hasIfShown(read, '/data/job_id', jobId),
      hasIfShown(read, '/data/model_id', run.id),
      hasIfShown(read, '/data/request_id', at(run.response.json, '/request_id')),
      isStatus(read, 'succeeded') && run.price !== undefined
        ? hasIfShown(read, '/data/credits_used', run.price)
        : skip('no credits are stated', read),
    ]),
  ),
  judgeEvery('cancel/every-cancel', CANCELLED, isCancelled),
  judgeEvery('cancel/no-credits-shown', CANCELLED, ({ cancels, reads }) =>
    [...cancels, ...reads.filter((read) => isStatus(read, 'cancelled'))].flatMap((response) =>
      ['/credits_used', '/data/credits_used'].map((pointer) => hasIfShown(response, pointer, 0)),
    ),
  ),
]

/** Judges a member that the specification does not ask for here, as far as it is there. */
function hasIfShown(response: ApiResponse, pointer: string, expected: unknown): Finding {
  const value = at(response.json, pointer)
  if (value === undefined || value === null) return skip(`there is no ${pointer}`, response)
  return hasValue(response, pointer, expected)
}

/** The first cancel that was accepted before the job was seen to have ended. */
function effectiveCancel({ cancels, end }: JobStory): ApiResponse | undefined {
  const hasEnded = end !== undefined && jobStatus(end) !== 'cancelled'
  return cancels.find((cancel) => !hasEnded || isBefore(cancel, end))
}

/** Whether a job was cancelled before it was seen to have ended. */
function wasCancelled(job: JobStory): boolean {
  return (
    job.run.response.status < 300 &&
    at(job.run.response.json, '/status') !== 'completed' &&
    effectiveCancel(job) !== undefined
  )
}

function isCancelled(job: JobStory, { session }: World): Finding {
  const { run, end, cancels, reads } = job
  const [cancel = cancels[0]] = [effectiveCancel(job)]
  const last = end ?? reads.at(-1)
  if (cancel === undefined || last === undefined) return skip('the job was not polled', run.response)
  const status = jobStatus(last)
  // A quick one may have ended first.
  const mayHaveEnded = run.id !== session.targets.slow?.modelId && isStatus(last, 'succeeded', 'failed')
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
    return judge(isOwn, 'the job is cancelled without a cancel of it that was accepted', [run.response, last])
  }
  if (effectiveCancel(job) !== undefined) return skip('the job was cancelled', last)
  const hasTime = end === undefined && endOf(last) - endOf(run.response) < session.options.limits.jobMs
  if (hasTime) return skip('the job could not be polled to its end', last)
  if (run.shouldFail) return judge(status === 'failed', `the job is ${show(status)}; expected failed`, last)
  if (status === 'failed') return skip('the provider failed', last)
  return judge(status === 'succeeded', `after ${reads.length} reads the job is ${show(status)}; expected an end`, last)
}

/** Judges that every read after the end shows that end. */
function staysEnded({ end, reads, ...job }: JobStory): readonly Finding[] {
  if (end === undefined) return []
  const later = reads.filter((read) => isBefore(end, read))
  return later.map((read) => {
    // What the cancel of a finished job does is open (section 3).
    const wasCancelledLater = allCancels(job).some((cancel) => isBefore(cancel, read))
    if (wasCancelledLater && isStatus(read, 'cancelled'))
      return skip('the suite cancelled the job that had ended', read)
    const detail = `the job was ${endShown(end)} (status, type and number of files, error code), and is ${endShown(read)} later`
    return judge(endShown(end) === endShown(read), detail, [end, read])
  })
}

function endShown(response: ApiResponse): string {
  return show([
    jobStatus(response),
    at(response.json, '/data/output/type'),
    itemsOf(at(response.json, '/data/output/items')).length,
    at(response.json, '/data/error/code'),
  ])
}

type Shown = readonly [Pick<ApiResponse, 'exchange' | 'json'>, string]

/** Judges that two outputs of one job are the same. Each response may sign the addresses again. */
export function isSameOutput([one, pointer]: Shown, [other, otherPointer]: Shown): Finding {
  const [shown, expected] = [outputShown(other.json, otherPointer), outputShown(one.json, pointer)]
  const detail = `the output is ${shown} (its type, and those of its items), and was ${expected}`
  return shown === expected ? pass(detail, [one, other]) : judge(false, detail, [one, other])
}

function outputShown(json: unknown, pointer: string): string {
  const items = at(json, `${pointer}/items`)
  return show([at(json, `${pointer}/type`), Array.isArray(items) ? items.map((item) => at(item, '/type')) : items])
}
