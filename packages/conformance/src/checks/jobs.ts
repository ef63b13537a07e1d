import { ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { observe, skip } from '../judge/finding.ts'
import { isSuccess, observeRejection } from '../judge/responses.ts'
import { endOf, startOf } from '../judges/world.ts'
import { isTerminal, jobStatus, type PolledJob } from '../session/jobs.ts'
import { UNKNOWN_ID } from './details.ts'
import { asyncJob } from './runs.ts'

const unknownJob = defineScenario('unknown-job', {}, (session) =>
  session.call({ path: routePath(ROUTES.getJob, { id: UNKNOWN_ID }), isOpen: true }),
)

const STATED_MEMBERS: readonly string[] = ['status', 'output', 'error']

/** The status and the result of jobs (sections 2.4, 2.5, 3 and 4.4). */
export const JOBS_CHECKS: readonly Check[] = [
  check('jobs/status-code', asyncJob, ({ polled }) => {
    const unfinished = polled.reads.find((read) => isSuccess(read).verdict === 'pass' && !isTerminal(jobStatus(read)))
    if (unfinished === undefined) return skip('the job had ended when it was first asked for', polled.last)
    return observe(unfinished.status, `status ${unfinished.status} while the job continues`, unfinished)
  }),
  check('jobs/output-type-values', asyncJob, ({ polled: { last } }) => {
    const type = at(last.json, '/data/output/type')
    return observe(typeof type === 'string' ? type : null, `/data/output/type is ${show(type)}`, last)
  }),
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

/** Members of the job's status beyond those that section 4.4 names. */
function moreMembers({ json }: ApiResponse): string[] {
  const data = at(json, '/data')
  return isRecord(data) ? Object.keys(data).filter((name) => !STATED_MEMBERS.includes(name)) : []
}

/** Between the last read that showed the queue and the first that did not. */
function queuedMs({ reads }: PolledJob): number {
  const left = reads.findIndex((read) => jobStatus(read) !== 'queued')
  if (left <= 0) return 0
  const [first, before, after] = [reads[0], reads[left - 1], reads[left]]
  if (first === undefined || before === undefined || after === undefined) return 0
  return Math.round((endOf(before) + endOf(after)) / 2 - startOf(first.exchange))
}
