import { JOB_STATUSES, ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { outputJudges } from '../judge/output.ts'
import { hasObject, hasText, hasValue, isSuccess, lacks, observeRejection } from '../judge/responses.ts'
import { isTerminal, jobStatus, type PolledJob } from '../session/jobs.ts'
import { asyncJob, defaultRunJob, failingJob } from './runs.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

export const unknownJob = defineScenario('unknown-job', {}, (session) =>
  session.call({ path: routePath(ROUTES.getJob, { id: UNKNOWN_ID }) }),
)

const KNOWN_STATUSES: readonly unknown[] = JOB_STATUSES
const STATED_MEMBERS: readonly string[] = ['status', 'output', 'error']

/** The status and the result of jobs (sections 2.4, 2.5, 3 and 4.4). */
export const JOBS_CHECKS: readonly Check[] = [
  check('jobs/data', asyncJob, ({ polled }) =>
    every(polled.reads.flatMap((read) => [isSuccess(read), hasObject(read, '/data')])),
  ),
  check('jobs/status-code', asyncJob, ({ polled }) => {
    const unfinished = polled.reads.find((read) => isSuccess(read).verdict === 'pass' && !isTerminal(jobStatus(read)))
    if (unfinished === undefined) return skip('the job had ended when it was first asked for', polled.last)
    return observe(unfinished.status, `status ${unfinished.status} while the job continues`, unfinished)
  }),
  check('jobs/status', asyncJob, ({ polled }) => every(polled.reads.map(hasKnownStatus))),
  check('jobs/async-ends', asyncJob, ({ polled }) => endsAs(polled, 'succeeded')),
  check('jobs/completed-reads-succeeded', defaultRunJob, ({ polled }) => endsAs(polled, 'succeeded')),
  check('jobs/output-type', asyncJob, ({ polled: { last } }) => outputJudges.type(last, '/data/output')),
  check('jobs/output-items', asyncJob, ({ polled: { last } }) => outputJudges.items(last, '/data/output')),
  check('jobs/output-item-type', asyncJob, ({ polled: { last } }) => outputJudges.itemTypes(last, '/data/output')),
  check('jobs/output-item-url', asyncJob, ({ polled: { last } }) => outputJudges.itemUrls(last, '/data/output')),
  check('jobs/output-type-values', asyncJob, ({ polled: { last } }) => {
    const type = at(last.json, '/data/output/type')
    return observe(typeof type === 'string' ? type : null, `/data/output/type is ${show(type)}`, last)
  }),
  check('jobs/same-output', defaultRunJob, ({ response, polled: { last } }) => {
    const [ran, read] = [at(response.json, '/output/items'), at(last.json, '/data/output/items')]
    const isSame = Array.isArray(ran) && Array.isArray(read) && ran.length === read.length
    return judge(isSame, `the response to the run says ${show(ran)}, the job's status ${show(read)}`, [response, last])
  }),
  check('jobs/no-output-before', asyncJob, ({ polled }) =>
    every(
      polled.reads.filter((read) => jobStatus(read) !== 'succeeded').map((read) => lacks(read, '/data/output')),
      'the job had ended when it was first asked for',
    ),
  ),
  check('jobs/no-error', asyncJob, ({ polled }) => every(polled.reads.map((read) => lacks(read, '/data/error')))),
  check('jobs/failed', failingJob, ({ polled }) => endsAs(polled, 'failed')),
  check('jobs/failed-code', failingJob, ({ polled: { last } }) =>
    hasValue(last, '/data/error/code', 'PROVIDER_FAILURE'),
  ),
  check('jobs/failed-message', failingJob, ({ polled: { last } }) => hasText(last, '/data/error/message')),
  check('jobs/more-fields', asyncJob, ({ polled: { last } }) => {
    const more = moreMembers(last)
    return observe(more, `more members: ${show(more)}`, last)
  }),
  check('jobs/absent-fields', asyncJob, ({ polled }) => {
    const unfinished = polled.reads.find((read) => jobStatus(read) !== 'succeeded')
    if (unfinished === undefined) return skip('the job had ended when it was first asked for', polled.last)
    const isNull = at(unfinished.json, '/data/output') === null
    return observe(
      isNull ? 'null' : 'left-out',
      `output of a job that continues is ${isNull ? 'null' : 'left out'}`,
      unfinished,
    )
  }),
  check('jobs/queued-time', asyncJob, ({ polled }) => {
    const ms = queuedMs(polled)
    return observe(ms, `left the queue about ${ms} ms after the response`, polled.reads)
  }),
  check('jobs/status-sequence', asyncJob, ({ polled }) => {
    const seen = polled.reads.map((read) => String(jobStatus(read)))
    const sequence = seen.filter((status, index) => status !== seen[index - 1])
    return observe(sequence, sequence.join(', then '), polled.reads)
  }),
  check('jobs/unknown', unknownJob, observeRejection),
]

function hasKnownStatus(response: ApiResponse): Finding {
  const status = jobStatus(response)
  const isRight = KNOWN_STATUSES.includes(status)
  return judge(isRight, `/data/status is ${show(status)}; expected one of ${JOB_STATUSES.join(', ')}`, response)
}

function endsAs({ last, reads }: PolledJob, expected: string): Finding {
  const status = jobStatus(last)
  return judge(
    status === expected,
    `after ${reads.length} reads the job is ${show(status)}; expected ${expected}`,
    last,
  )
}

/** Members of the job's status beyond those that section 4.4 names. */
function moreMembers({ json }: ApiResponse): string[] {
  const data = at(json, '/data')
  return isRecord(data) ? Object.keys(data).filter((name) => !STATED_MEMBERS.includes(name)) : []
}

/** Between the last read that showed the queue and the first that did not. */
function queuedMs({ reads, readAfterMs }: PolledJob): number {
  const left = reads.findIndex((read) => jobStatus(read) !== 'queued')
  if (left <= 0) return 0
  return Math.round(((readAfterMs[left - 1] ?? 0) + (readAfterMs[left] ?? 0)) / 2)
}
