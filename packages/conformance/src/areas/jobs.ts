import { JOB_STATUSES, ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, isRecord, show } from '../json.ts'
import { hasObject, hasText, hasValue, isSuccess, lacks, refusalOf, refusalText } from '../judge/answers.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { outputJudges } from '../judge/output.ts'
import { isTerminal, type JobWatch, jobStatus } from '../session/jobs.ts'
import { asyncJob, defaultRunJob, failingJob } from './runs-scenarios.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

export const unknownJob: Scenario<Answer> = {
  id: 'unknown-job',
  perform: (session) => session.call({ path: routePath(ROUTES.getJob, { id: UNKNOWN_ID }) }),
}

const KNOWN_STATUSES: readonly unknown[] = JOB_STATUSES
const STATED_MEMBERS: readonly string[] = ['status', 'output', 'error']

/** The status and the result of jobs (sections 2.4, 2.5, 3 and 4.4). */
export const JOBS_CHECKS: readonly Check[] = [
  check('jobs/data', asyncJob, ({ watch }) =>
    every(watch.reads.flatMap((read) => [isSuccess(read), hasObject(read, '/data')])),
  ),
  check('jobs/status-code', asyncJob, ({ watch }) => {
    const unfinished = watch.reads.find((read) => isSuccess(read).verdict === 'pass' && !isTerminal(jobStatus(read)))
    if (unfinished === undefined) return skip('the job had ended when it was first asked for', watch.last)
    return observe(unfinished.status, `status ${unfinished.status} while the job goes on`, unfinished)
  }),
  check('jobs/status', asyncJob, ({ watch }) => every(watch.reads.map(hasKnownStatus))),
  check('jobs/async-ends', asyncJob, ({ watch }) => endsAs(watch, 'succeeded')),
  check('jobs/completed-reads-succeeded', defaultRunJob, ({ watch }) => endsAs(watch, 'succeeded')),
  check('jobs/output-type', asyncJob, ({ watch: { last } }) => outputJudges.type(last, '/data/output')),
  check('jobs/output-items', asyncJob, ({ watch: { last } }) => outputJudges.items(last, '/data/output')),
  check('jobs/output-item-type', asyncJob, ({ watch: { last } }) => outputJudges.itemTypes(last, '/data/output')),
  check('jobs/output-item-url', asyncJob, ({ watch: { last } }) => outputJudges.itemUrls(last, '/data/output')),
  check('jobs/output-type-values', asyncJob, ({ watch: { last } }) => {
    const type = at(last.json, '/data/output/type')
    return observe(typeof type === 'string' ? type : null, `/data/output/type is ${show(type)}`, last)
  }),
  check('jobs/same-output', defaultRunJob, ({ answer, watch: { last } }) => {
    const [ran, read] = [at(answer.json, '/output/items'), at(last.json, '/data/output/items')]
    const isSame = Array.isArray(ran) && Array.isArray(read) && ran.length === read.length
    return judge(isSame, `the run answered ${show(ran)}, the job's status ${show(read)}`, [answer, last])
  }),
  check('jobs/no-output-before', asyncJob, ({ watch }) =>
    every(
      watch.reads.filter((read) => jobStatus(read) !== 'succeeded').map((read) => lacks(read, '/data/output')),
      'the job had ended when it was first asked for',
    ),
  ),
  check('jobs/no-error', asyncJob, ({ watch }) => every(watch.reads.map((read) => lacks(read, '/data/error')))),
  check('jobs/failed', failingJob, ({ watch }) => endsAs(watch, 'failed')),
  check('jobs/failed-code', failingJob, ({ watch: { last } }) =>
    hasValue(last, '/data/error/code', 'PROVIDER_FAILURE'),
  ),
  check('jobs/failed-message', failingJob, ({ watch: { last } }) => hasText(last, '/data/error/message')),
  check('jobs/more-fields', asyncJob, ({ watch: { last } }) => {
    const more = moreMembers(last)
    return observe(more.length === 0 ? 'minimal' : 'full', `more members: ${show(more)}`, last)
  }),
  check('jobs/queued-time', asyncJob, ({ watch }) => {
    const ms = queuedMs(watch)
    return observe(ms, `left the queue about ${ms} ms after the answer`, watch.reads)
  }),
  check('jobs/status-sequence', asyncJob, ({ watch }) => {
    const seen = watch.reads.map((read) => String(jobStatus(read)))
    const sequence = seen.filter((status, index) => status !== seen[index - 1])
    return observe(sequence, sequence.join(', then '), watch.reads)
  }),
  check('jobs/unknown', unknownJob, (answer) => observe(refusalOf(answer), refusalText(answer), answer)),
]

function hasKnownStatus(answer: Answer): Finding {
  const status = jobStatus(answer)
  const isRight = KNOWN_STATUSES.includes(status)
  return judge(isRight, `/data/status is ${show(status)}; expected one of ${JOB_STATUSES.join(', ')}`, answer)
}

function endsAs({ last, reads }: JobWatch, expected: string): Finding {
  const status = jobStatus(last)
  return judge(
    status === expected,
    `after ${reads.length} reads the job is ${show(status)}; expected ${expected}`,
    last,
  )
}

/** Members of the job's status beyond those that section 4.4 names. */
function moreMembers({ json }: Answer): string[] {
  const data = at(json, '/data')
  return isRecord(data) ? Object.keys(data).filter((name) => !STATED_MEMBERS.includes(name)) : []
}

/** Between the last read that showed the queue and the first that did not. */
function queuedMs({ reads, readAfterMs }: JobWatch): number {
  const left = reads.findIndex((read) => jobStatus(read) !== 'queued')
  if (left <= 0) return 0
  return Math.round(((readAfterMs[left - 1] ?? 0) + (readAfterMs[left] ?? 0)) / 2)
}
