import type { Check } from '../check.ts'
import { type Finding, judge, skip } from '../finding.ts'
import { unknownModelRun, wrongRuns } from '../scenarios/runs.ts'
import { hasEnded, jobStatus } from '../session/actions.ts'
import { judgeEvery, type Source } from './judge-world.ts'
import { rejectionText } from './rules.ts'
import { jobOf, type RunCall, type World } from './world.ts'

type BrokenRule = NonNullable<RunCall['violation']>['rule']

const breaking = (rule: BrokenRule): Source<RunCall> => ({
  from: [rule === 'model' ? unknownModelRun : wrongRuns],
  pick: ({ sentRuns }) => sentRuns.filter(({ violation }) => violation?.rule === rule),
  nothing: 'the schema of the model has no such rule; choose another',
})

const CHECKS: readonly [check: string, BrokenRule][] = [
  ['inputs/required-parameter', 'required'],
  ['inputs/enum', 'enum'],
  ['inputs/maximum', 'maximum'],
  ['inputs/minimum', 'minimum'],
  ['inputs/type', 'type'],
  ['inputs/input-is-required', 'input'],
  ['inputs/input-is-an-object', 'object'],
  ['runs/unknown-model-does-not-run', 'model'],
]

/** Runs that are wrong (sections 2.3, 4.3, 7 and 8). How they do not succeed is open. */
export const INPUT_JUDGES: readonly Check[] = CHECKS.map(([id, rule]) => judgeEvery(id, breaking(rule), doesNotSucceed))

function doesNotSucceed(run: RunCall, world: World): Finding {
  const { violation, response, says } = run
  const job = jobOf(run, world)
  const last = job?.end ?? job?.reads.at(-1)
  const status = last === undefined ? says : jobStatus(last)
  if (last !== undefined && !hasEnded(last))
    return skip(`${violation?.wrong}: the run was accepted, and is still ${status}`, run)
  const isRight = status !== 'completed' && status !== 'succeeded'
  const outcome = `the run ${isRight ? 'did not succeed' : 'succeeded'}`
  return judge(isRight, `${violation?.wrong}: ${rejectionText(response)}; ${outcome}`, run)
}
