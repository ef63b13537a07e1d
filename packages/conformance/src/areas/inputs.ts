import { type Check, check } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, show } from '../json.ts'
import { hasStatus, refusalOf, refusalText } from '../judge/answers.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { jobStatus } from '../session/jobs.ts'
import type { DoubtfulRun } from '../session/runs.ts'
import {
  badInputWithWebhook,
  brokenJson,
  edgeInput,
  everyOtherRule,
  inputsOfOtherTypes,
  missingInput,
  missingParameter,
  otherContentType,
  strangeWebhookUrl,
  unknownInputParameter,
  unknownMember,
  upperEdgeInput,
  valueAboveMaximum,
  valueBelowMinimum,
  valueOfWrongType,
  valueOutsideEnum,
  type WrongRun,
} from './inputs-scenarios.ts'

/** Bodies and inputs of runs, right and wrong (sections 2.3, 4.3, 7 and 8). */
export const INPUTS_CHECKS: readonly Check[] = [
  check('inputs/edges-are-accepted', edgeInput, (answer) => hasStatus(answer, 200, 202)),
  check('inputs/input-is-required', missingInput, doesNotSucceed),
  check('inputs/required-parameter', missingParameter, doesNotSucceed),
  check('inputs/enum', valueOutsideEnum, doesNotSucceed),
  check('inputs/maximum', valueAboveMaximum, doesNotSucceed),
  check('inputs/minimum', valueBelowMinimum, doesNotSucceed),
  check('inputs/type', valueOfWrongType, doesNotSucceed),
  check('inputs/upper-edges-are-accepted', upperEdgeInput, (answer) => hasStatus(answer, 200, 202)),
  check('inputs/every-other-rule', everyOtherRule, doNotSucceed),
  check('inputs/input-is-an-object', inputsOfOtherTypes, doNotSucceed),
  check('inputs/with-webhook', badInputWithWebhook, doesNotSucceed),
  check('inputs/missing-input-answer', missingInput, ({ answer }) => refusal(answer)),
  check('inputs/invalid-status', missingParameter, ({ answer }) =>
    answer.status < 400
      ? skip(`the run was accepted with status ${answer.status}`, answer)
      : observe(answer.status, refusalText(answer), answer),
  ),
  check('inputs/invalid-code', missingParameter, ({ answer }) => {
    const code = at(answer.json, '/error/code')
    return observe(typeof code === 'string' ? code : null, `/error/code is ${show(code)}`, answer)
  }),
  check('inputs/broken-json', brokenJson, refusal),
  check('inputs/content-type', otherContentType, refusal),
  check('inputs/unknown-member', unknownMember, refusal),
  check('inputs/unknown-parameter', unknownInputParameter, refusal),
  check('inputs/webhook-url-scheme', strangeWebhookUrl, refusal),
]

function doesNotSucceed({ answer, watch, hasSucceeded }: DoubtfulRun): Finding {
  const status = watch === undefined ? undefined : jobStatus(watch.last)
  if (status === 'queued' || status === 'processing')
    return skip(`the run was accepted, and is still ${status}`, answer)
  return judge(
    !hasSucceeded,
    `${refusalText(answer)}; the run ${hasSucceeded ? 'succeeded' : 'did not succeed'}`,
    answer,
  )
}

function doNotSucceed(runs: readonly WrongRun[]): Finding {
  return every(
    runs.map((run) => {
      const finding = doesNotSucceed(run)
      return { ...finding, detail: `${run.wrong}: ${finding.detail}` }
    }),
    'the schema of the model has no other rule',
  )
}

function refusal(answer: Answer): Finding {
  return observe(refusalOf(answer), refusalText(answer), answer)
}
