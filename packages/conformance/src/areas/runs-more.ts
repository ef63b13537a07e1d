import { type Check, check } from '../check.ts'
import { at, show } from '../json.ts'
import { hasCount, hasValue, refusalText } from '../judge/answers.ts'
import { every, judge } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { jobStatus } from '../session/jobs.ts'
import { hasIdentity } from './runs.ts'
import { defaultRun, defaultRunJob, failingRun, syncRun, unknownModelJob } from './runs-scenarios.ts'

/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000

/** What else the answers to runs must hold (sections 2.4 and 4.3). */
export const RUNS_MORE_CHECKS: readonly Check[] = [
  check('runs/sync-body', syncRun, ({ answer, target }) =>
    every([
      hasIdentity({ answer, target }),
      hasOutput(answer, '/output'),
      hasCount(answer, '/duration_ms'),
      hasValue(answer, '/credits_used', target.creditsPerRun),
    ]),
  ),
  check('runs/duration-is-possible', defaultRun, ({ answer }) => {
    const ms = at(answer.json, '/duration_ms')
    const isRight = !(Number(ms) > answer.durationMs * 1.1 + SLACK_MS)
    return judge(isRight, `/duration_ms is ${show(ms)} in a call of ${Math.round(answer.durationMs)} ms`, answer)
  }),
  check('jobs/same-output-type', defaultRunJob, ({ answer, watch: { last } }) => {
    const [ran, read] = [at(answer.json, '/output/type'), at(last.json, '/data/output/type')]
    return judge(ran === read, `the run answered the type ${show(ran)}, the job's status ${show(read)}`, [answer, last])
  }),
  check('runs/failed-is-not-completed', failingRun, ({ answer }) => {
    const status = at(answer.json, '/status')
    return judge(status !== 'completed' && status !== 'succeeded', `/status of a failed run is ${show(status)}`, answer)
  }),
  check('runs/unknown-model-does-not-run', unknownModelJob, ({ answer, watch }) => {
    const status = watch === undefined ? at(answer.json, '/status') : jobStatus(watch.last)
    const isRight = status !== 'completed' && status !== 'succeeded'
    return judge(isRight, `a run of an unknown model: ${refusalText(answer)}, then ${show(status)}`, answer)
  }),
]
