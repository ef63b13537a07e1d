import { type Check, check } from '../check.ts'
import { at, show } from '../json.ts'
import { every, judge } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { hasCount, hasValue, rejectionText } from '../judge/responses.ts'
import { jobStatus } from '../session/jobs.ts'
import { hasIdentity } from './runs.ts'
import { defaultRun, defaultRunJob, failingRun, syncRun, unknownModelJob } from './runs-scenarios.ts'

/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000

/** What else the responses to runs must hold (sections 2.4 and 4.3). */
export const RUNS_MORE_CHECKS: readonly Check[] = [
  check('runs/sync-body', syncRun, ({ response, target }) =>
    every([
      hasIdentity({ response, target }),
      hasOutput(response, '/output'),
      hasCount(response, '/duration_ms'),
      hasValue(response, '/credits_used', target.creditsPerRun),
    ]),
  ),
  check('runs/duration-is-possible', defaultRun, ({ response }) => {
    const ms = at(response.json, '/duration_ms')
    const isRight = !(Number(ms) > response.durationMs * 1.1 + SLACK_MS)
    return judge(isRight, `/duration_ms is ${show(ms)} in a call of ${Math.round(response.durationMs)} ms`, response)
  }),
  check('jobs/same-output-type', defaultRunJob, ({ response, polled: { last } }) => {
    const [ran, read] = [at(response.json, '/output/type'), at(last.json, '/data/output/type')]
    return judge(ran === read, `the response to the run has the type ${show(ran)}, the job's status ${show(read)}`, [
      response,
      last,
    ])
  }),
  check('runs/failed-is-not-completed', failingRun, ({ response }) => {
    const status = at(response.json, '/status')
    return judge(
      status !== 'completed' && status !== 'succeeded',
      `/status of a failed run is ${show(status)}`,
      response,
    )
  }),
  check('runs/unknown-model-does-not-run', unknownModelJob, ({ response, polled }) => {
    const status = polled === undefined ? at(response.json, '/status') : jobStatus(polled.last)
    const isRight = status !== 'completed' && status !== 'succeeded'
    return judge(isRight, `a run of an unknown model: ${rejectionText(response)}, then ${show(status)}`, response)
  }),
]
