import { ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError, every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { hasStatus, observeRejection, rejectionText } from '../judge/responses.ts'
import { crossed } from '../plan/crossing.ts'
import { largestInput, smallestInput } from '../plan/edge-inputs.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { type Violation, violationsOf } from '../plan/violations.ts'
import { jobStatus } from '../session/jobs.ts'
import { unlessProviderFails } from '../session/provider.ts'
import { type DoubtfulRun, isUnclear, measuredRun, probeRun, tryRun } from '../session/runs.ts'
import { MODES, type Session } from '../session/session.ts'
import { propertiesOf } from './details.ts'

/** A run that breaks the model's `input_schema` in one way. */
interface BadInput extends DoubtfulRun {
  input: unknown
}

/** An input that should be rejected, made from the main model's own; `undefined` when its schema has no such rule. */
function badInput(
  id: string,
  inputOf: (target: ModelTarget) => Record<string, unknown> | undefined,
): Scenario<BadInput> {
  return defineScenario(id, { runs: { main: 1 } }, async (session) => {
    const target = session.target('main')
    const input = inputOf(target)
    if (input === undefined) throw new BlockedError(`the schema of ${target.modelId} has no such rule; choose another`)
    return { input, ...(await tryRun(session, 'main', { body: { input } })) }
  })
}

/** The first violation of a rule. */
function firstOf(wanted: Violation['rule']) {
  return (target: ModelTarget) => violationsOf(target).find(({ rule }) => rule === wanted)?.input
}

const missingParameter = badInput('missing-parameter', firstOf('required'))
const valueOutsideEnum = badInput('value-outside-enum', firstOf('enum'))
const valueAboveMaximum = badInput('value-above-maximum', firstOf('maximum'))
const valueBelowMinimum = badInput('value-below-minimum', firstOf('minimum'))

const valueOfWrongType = badInput('value-of-wrong-type', ({ input, inputSchema }) => {
  const text = propertiesOf(inputSchema).find(([, { type }]) => type === 'string')
  return text && { ...input, [text[0]]: { conformance: true } }
})

/** What else breaks the schema, beside the first violation of each rule above. */
function otherViolations(target: ModelTarget): Violation[] {
  const violations = violationsOf(target)
  const isTried = ({ rule }: Violation, index: number) =>
    rule !== 'type' && index === violations.findIndex((one) => one.rule === rule)
  return violations.filter((violation, index) => !isTried(violation, index))
}

/** A run that should be rejected, and what is wrong with it. */
interface WrongRun extends DoubtfulRun {
  wrong: string
}

/** Every other violation, in every mode in turn. */
const everyOtherRule = defineScenario(
  'every-other-rule',
  { runs: { main: (target) => otherViolations(target).length } },
  (session) => tryEach(session, otherViolations(session.target('main'))),
)

/** Runs in which kinds of wrong inputs and modes are crossed. */
const MOST_WRONG = 10

/** Inputs that are not objects. */
const NO_OBJECTS: readonly { wrong: string; input: unknown }[] = [
  { wrong: 'a text as input', input: 'conformance' },
  { wrong: 'an array as input', input: ['conformance'] },
  { wrong: 'null as input', input: null },
  { wrong: 'a number as input', input: 7 },
  { wrong: 'a boolean as input', input: true },
]

const inputsOfOtherTypes = defineScenario('inputs-of-other-types', { runs: { main: NO_OBJECTS.length } }, (session) =>
  tryEach(session, NO_OBJECTS),
)

/** Each kind of wrong input, in several modes. */
const wrongInEachMode = defineScenario('wrong-in-each-mode', { runs: { main: MOST_WRONG } }, (session) => {
  const target = session.target('main')
  const violations = violationsOf(target)
  const kinds = violations.filter(({ rule }, index) => index === violations.findIndex((one) => one.rule === rule))
  const wrong = [...kinds, ...NO_OBJECTS.slice(0, 1), { wrong: 'no input', input: undefined }]
  const modes = Array.from({ length: MODES }, (_, index) => index)
  const runs = crossed({ wrong, mode: modes }, { seed: session.options.seed, most: MOST_WRONG })
  return tryEach(
    session,
    runs.map(({ wrong: one, mode }) => ({ ...one, mode })),
  )
})

async function tryEach(
  session: Session,
  inputs: readonly { wrong: string; input: unknown; mode?: number }[],
): Promise<WrongRun[]> {
  const runs: WrongRun[] = []
  for (const { wrong, input, mode } of inputs)
    runs.push({ wrong, ...(await tryRun(session, 'main', { body: { input, ...session.nextMode(mode) } })) })
  return runs
}

/** The first wrong value that the schema of the main model has a rule for. */
const wrongValue = defineScenario(
  'wrong-value',
  { mayUse: [valueOutsideEnum, valueAboveMaximum, valueBelowMinimum, valueOfWrongType], runs: { main: 0 } },
  async (session) => {
    for (const scenario of [valueOutsideEnum, valueAboveMaximum, valueBelowMinimum, valueOfWrongType]) {
      const bad = await session.evidence(scenario).catch((error: unknown) => {
        if (!(error instanceof BlockedError)) throw error
      })
      if (bad !== undefined) return bad
    }
    throw new BlockedError(`the schema of ${session.target('main').modelId} has no rule; choose another`)
  },
)

/** A body without `input`. */
const missingInput = defineScenario('missing-input', { runs: { main: 1 } }, (session) =>
  tryRun(session, 'main', { body: {} }),
)

/** A body that is not JSON, sent to a known model. Nothing can run, so the plan does not count it. */
const brokenJson = defineScenario('broken-json', { runs: { main: 0 } }, (session) =>
  session.call({ method: 'POST', path: runPath(session), text: '{"input": ', isOpen: true }),
)

/** JSON that does not say so. */
const otherContentType = defineScenario('other-content-type', { runs: { main: 1 } }, (session) => {
  const { input } = session.target('main')
  return probeRun(session, 'main', { text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })
})

const unknownMember = defineScenario('unknown-member', { runs: { main: 1 } }, (session) => {
  const { input } = session.target('main')
  return probeRun(session, 'main', { body: { input, sync: false, conformance: true } })
})

const unknownInputParameter = defineScenario('unknown-input-parameter', { runs: { main: 1 } }, (session) => {
  const input = { ...session.target('main').input, conformance: true }
  return probeRun(session, 'main', { body: { input, sync: false } })
})

const otherWebhookScheme = defineScenario('other-webhook-scheme', { runs: { main: 1 } }, (session) =>
  probeRun(session, 'main', { webhook_url: 'ftp://127.0.0.1/conformance' }),
)

/** A run whose input has every parameter that a rule limits, at the lower edges of the rules. */
const edgeInput = edgeRun('edge-input', smallestInput)

/** The same at the upper edges. */
const upperEdgeInput = edgeRun('upper-edge-input', largestInput)

function edgeRun(id: string, inputOf: (target: ModelTarget) => Record<string, unknown>): Scenario<ApiResponse> {
  return defineScenario(id, { runs: { main: 1 }, mayFail: 'main' }, async (session) => {
    const options = { body: { input: inputOf(session.target('main')) }, isPolled: isUnclear }
    return (await unlessProviderFails(session, 'main', () => measuredRun(session, 'main', options))).response
  })
}

function runPath(session: Session): string {
  return routePath(ROUTES.runModel, { model: session.target('main').modelId })
}

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
  check('inputs/every-mode', wrongInEachMode, doNotSucceed),
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
