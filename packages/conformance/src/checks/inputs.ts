import { type Check, check } from '../check.ts'
import { at } from '../json.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { hasStatus, observeRejection, rejectionText } from '../judge/responses.ts'
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
  otherWebhookScheme,
  unknownInputParameter,
  unknownMember,
  upperEdgeInput,
  valueAboveMaximum,
  valueBelowMinimum,
  valueOfWrongType,
  valueOutsideEnum,
  type WrongRun,
  wrongValue,
} from './inputs-scenarios.ts'

/** Bodies and inputs of runs, right and wrong (sections 2.3, 4.3, 7 and 8). */
export const INPUTS_CHECKS: readonly Check[] = [
  check('inputs/edges-are-accepted', edgeInput, (response) => hasStatus(response, 200, 202)),
  check('inputs/input-is-required', missingInput, doesNotSucceed),
  check('inputs/required-parameter', missingParameter, doesNotSucceed),
  check('inputs/enum', valueOutsideEnum, doesNotSucceed),
  check('inputs/maximum', valueAboveMaximum, doesNotSucceed),
  check('inputs/minimum', valueBelowMinimum, doesNotSucceed),
  check('inputs/type', valueOfWrongType, doesNotSucceed),
  check('inputs/upper-edges-are-accepted', upperEdgeInput, (response) => hasStatus(response, 200, 202)),
  check('inputs/every-other-rule', everyOtherRule, doNotSucceed),
  check('inputs/input-is-an-object', inputsOfOtherTypes, doNotSucceed),
  check('inputs/with-webhook', badInputWithWebhook, doesNotSucceed),
  check('inputs/missing-input-response', missingInput, ({ response }) => observeRejection(response)),
  check('inputs/missing-parameter-response', missingParameter, observeOutcome),
  check('inputs/invalid-response', wrongValue, observeOutcome),
  check('inputs/broken-json', brokenJson, observeRejection),
  check('inputs/content-type', otherContentType, observeRejection),
  check('inputs/unknown-member', unknownMember, observeRejection),
  check('inputs/unknown-parameter', unknownInputParameter, observeRejection),
  check('inputs/webhook-url-scheme', otherWebhookScheme, observeRejection),
]

function doesNotSucceed({ response, polled, hasSucceeded }: DoubtfulRun): Finding {
  const status = polled === undefined ? undefined : jobStatus(polled.last)
  if (status === 'queued' || status === 'processing')
    return skip(`the run was accepted, and is still ${status}`, response)
  return judge(
    !hasSucceeded,
    `${rejectionText(response)}; the run ${hasSucceeded ? 'succeeded' : 'did not succeed'}`,
    response,
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

/** Of a wrong input: a run that was accepted, and whose job fails, is not a rejection, whatever its response. */
function observeOutcome({ response, polled }: DoubtfulRun): Finding {
  const isAccepted = polled !== undefined || at(response.json, '/error/code') === 'PROVIDER_FAILURE'
  return isAccepted
    ? observe('accepted', 'the run was accepted, and did not succeed', response)
    : observeRejection(response)
}
