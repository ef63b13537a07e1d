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
import {
  type DoubtfulRun,
  isUnclear,
  measuredRun,
  probeRun,
  type RunOptions,
  tryRun,
  unlessProviderFails,
} from '../session/runs.ts'
import { MODES, type Session } from '../session/session.ts'

/** A run that should be rejected, and what is wrong with it. */
interface WrongRun extends Violation, DoubtfulRun {}

/** Inputs that are not objects, and none. */
const NO_OBJECTS: readonly Violation[] = [
  { rule: 'input', wrong: 'no input', input: undefined },
  { rule: 'object', wrong: 'a text as input', input: 'conformance' },
  { rule: 'object', wrong: 'an array as input', input: ['conformance'] },
  { rule: 'object', wrong: 'null as input', input: null },
  { rule: 'object', wrong: 'a number as input', input: 7 },
  { rule: 'object', wrong: 'a boolean as input', input: true },
]

/** Runs beyond one for each violation, in which rules and modes are crossed. */
const MOST_CROSSED = 8

/** Everything that the schema of the main model forbids. The first violation of each rule waits for its result, the others take turns. */
const wrongRuns = defineScenario('wrong-runs', { runs: { main: 0 } }, async (session) => {
  const violations = [...violationsOf(session.target('main')), ...NO_OBJECTS]
  const kinds = violations.filter(({ rule }, index) => index === violations.findIndex((one) => one.rule === rule))
  const { seed } = session.options
  const again = crossed({ one: kinds, mode: MODES.filter((mode) => mode !== 'unsaid') }, { seed, most: MOST_CROSSED })
  const modeOf = (one: Violation) => (kinds.includes(one) ? ('unsaid' as const) : undefined)
  const runs: WrongRun[] = []
  for (const { one, mode } of [...violations.map((one) => ({ one, mode: modeOf(one) })), ...again])
    runs.push({ ...one, ...(await tryRun(session, 'main', { body: { input: one.input, ...session.modeOf(mode) } })) })
  return runs
})

/** The first violation of the first of these rules that the schema of the main model has. */
function firstWrong(...rules: readonly Violation['rule'][]): Scenario<WrongRun> {
  return defineScenario(`wrong-${rules[0]}`, { uses: [wrongRuns] }, async (session) => {
    const runs = await session.evidence(wrongRuns)
    const [first] = rules.flatMap((rule) => runs.find((run) => run.rule === rule) ?? [])
    if (first !== undefined) return first
    throw new BlockedError(`the schema of ${session.target('main').modelId} has no such rule; choose another`)
  })
}

const missingInput = firstWrong('input')
const missingParameter = firstWrong('required')
const wrongValue = firstWrong('enum', 'maximum', 'minimum', 'type')

/** A body that is not JSON, sent to a known model. Nothing can run, so the plan does not count it. */
const brokenJson = defineScenario('broken-json', { runs: { main: 0 } }, (session) =>
  session.call({ method: 'POST', path: runPath(session), text: '{"input": ', isOpen: true }),
)

/** A run whose response is open: how it differs from a normal one. */
function openRun(id: string, optionsOf: (input: Record<string, unknown>) => RunOptions): Scenario<ApiResponse> {
  const runs = { main: 0 }
  return defineScenario(id, { runs }, (session) => probeRun(session, 'main', optionsOf(session.target('main').input)))
}

const otherContentType = openRun('other-content-type', (input) => {
  return { text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' }
})
const unknownMember = openRun('unknown-member', (input) => ({ body: { input, sync: false, conformance: true } }))
const unknownInputParameter = openRun('unknown-input-parameter', (input) => {
  return { body: { input: { ...input, conformance: true }, sync: false } }
})
const otherWebhookScheme = openRun('other-webhook-scheme', () => ({ webhook_url: 'ftp://127.0.0.1/conformance' }))

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

/** The check of each rule. */
const RULES: Readonly<Record<Violation['rule'], string>> = {
  input: 'input-is-required',
  object: 'input-is-an-object',
  required: 'required-parameter',
  enum: 'enum',
  maximum: 'maximum',
  minimum: 'minimum',
  type: 'type',
}

/** Bodies and inputs of runs, right and wrong (sections 2.3, 4.3, 7 and 8). */
export const INPUTS_CHECKS: readonly Check[] = [
  check('inputs/edges-are-accepted', edgeInput, (response) => hasStatus(response, 200, 202)),
  check('inputs/upper-edges-are-accepted', upperEdgeInput, (response) => hasStatus(response, 200, 202)),
  ...Object.entries(RULES).map(([rule, id]) =>
    check(`inputs/${id}`, wrongRuns, (runs) => doNotSucceed(runs.filter((run) => run.rule === rule))),
  ),
  check('inputs/missing-input-response', missingInput, ({ response }) => observeRejection(response)),
  check('inputs/missing-parameter-response', missingParameter, observeOutcome),
  check('inputs/invalid-response', wrongValue, observeOutcome),
  check('inputs/broken-json', brokenJson, observeRejection),
  check('inputs/content-type', otherContentType, observeRejection),
  check('inputs/unknown-member', unknownMember, observeRejection),
  check('inputs/unknown-parameter', unknownInputParameter, observeRejection),
  check('inputs/webhook-url-scheme', otherWebhookScheme, observeRejection),
]

function doNotSucceed(runs: readonly WrongRun[]): Finding {
  const findings = runs.map(({ wrong, response, polled, hasSucceeded }) => {
    const status = polled === undefined ? undefined : jobStatus(polled.last)
    if (status === 'queued' || status === 'processing')
      return skip(`${wrong}: the run was accepted, and is still ${status}`, response)
    const outcome = `the run ${hasSucceeded ? 'succeeded' : 'did not succeed'}`
    return judge(!hasSucceeded, `${wrong}: ${rejectionText(response)}; ${outcome}`, response)
  })
  return every(findings, 'the schema of the model has no such rule; choose another')
}

/** Of a wrong input: a run that was accepted, and whose job fails, is not a rejection, whatever its response. */
function observeOutcome({ response, polled }: DoubtfulRun): Finding {
  const isAccepted = polled !== undefined || at(response.json, '/error/code') === 'PROVIDER_FAILURE'
  return isAccepted
    ? observe('accepted', 'the run was accepted, and did not succeed', response)
    : observeRejection(response)
}
