import { isText } from '@modelrun/kit'
import type { Check } from '../check.ts'
import { type Finding, judge, observe, skip } from '../finding.ts'
import { at } from '../json.ts'
import { unknownModelRun, wrongRuns } from '../scenarios/runs.ts'
import { isTerminal, jobStatus } from '../session/actions.ts'
import { isMade, observeEach } from './invalid-requests.ts'
import { judgeAll, judgeEvery, type Source } from './judge-every.ts'
import { rejectionOf, rejectionText } from './rules.ts'
import { jobOf, type RunCall, type World } from './world.ts'

/** Runs that break a rule. */
const WRONG: Source<RunCall> = {
  from: [wrongRuns],
  pick: ({ sentRuns }) => sentRuns.filter(({ violation }) => violation !== undefined),
  nothing: 'the schema of the model has no such rule; choose another',
}
type BrokenRule = NonNullable<RunCall['violation']>['rule']
/** In the order of the rules. */
const breaking = (rules: readonly BrokenRule[], from = WRONG.from): Source<RunCall> => ({
  ...WRONG,
  from,
  pick: (world) => rules.flatMap((rule) => WRONG.pick(world).filter(({ violation }) => violation?.rule === rule)),
})

/** The check of each rule, and of the models that are not there. */
const RULES: readonly [BrokenRule, check: string][] = [
  ['required', 'inputs/required-parameter'],
  ['enum', 'inputs/enum'],
  ['maximum', 'inputs/maximum'],
  ['minimum', 'inputs/minimum'],
  ['type', 'inputs/type'],
  ['input', 'inputs/input-is-required'],
  ['object', 'inputs/input-is-an-object'],
]
const UNKNOWN_MODEL = breaking(['model'], [unknownModelRun])

/** Inputs that are not objects, by their names as rejections of the reference server. */
const INPUTS = { otherInput: isText, inputArray: Array.isArray, inputNull: (input: unknown) => input === null }

/** Runs that are wrong (sections 2.3, 4.3, 7 and 8). */
export const INPUT_JUDGES: readonly Check[] = [
  ...RULES.map(([rule, id]) => judgeEvery(id, breaking([rule]), doesNotSucceed)),
  judgeEvery('runs/unknown-model-does-not-run', UNKNOWN_MODEL, doesNotSucceed),
  judgeAll('runs/unknown-model', UNKNOWN_MODEL, observeOutcome),
  judgeAll('inputs/missing-input-response', breaking(['input']), observeOutcome),
  judgeAll('inputs/other-input', breaking(['object']), (runs) => {
    const sent = Object.entries(INPUTS).flatMap(([name, isOne]) => {
      const first = runs.find(({ body }) => isOne(at(body, '/input')))
      return first === undefined ? [] : [[name, first.response]]
    })
    return observeEach(Object.fromEntries(sent), (response) => (isMade(response) ? 'accepted' : rejectionOf(response)))
  }),
  judgeAll('inputs/missing-parameter-response', breaking(['required']), observeOutcome),
  judgeAll('inputs/invalid-response', breaking(['enum', 'maximum', 'minimum', 'type']), observeOutcome),
]

function doesNotSucceed(run: RunCall, world: World): Finding {
  const { violation, response, says } = run
  const job = jobOf(run, world)
  const last = job?.end ?? job?.reads.at(-1)
  const status = last === undefined ? says : jobStatus(last)
  if (last !== undefined && !isTerminal(status))
    return skip(`${violation?.wrong}: the run was accepted, and is still ${status}`, run)
  const isRight = status !== 'completed' && status !== 'succeeded'
  const outcome = `the run ${isRight ? 'did not succeed' : 'succeeded'}`
  return judge(isRight, `${violation?.wrong}: ${rejectionText(response)}; ${outcome}`, run)
}

/** A run that was accepted, and whose job fails, is not a rejection, whatever its response. */
function observeOutcome([{ response, violation }]: readonly [RunCall, ...RunCall[]]): Finding {
  return isMade(response) && violation?.rule !== 'model'
    ? observe('accepted', 'the run was accepted, and did not succeed', response)
    : observe(rejectionOf(response, violation?.parameter), rejectionText(response), response)
}
