import { ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError } from '../judge/finding.ts'
import { largestInput, smallestInput } from '../plan/edge-inputs.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { type Violation, violationsOf } from '../plan/violations.ts'
import { type DoubtfulRun, probeRun, startRun, tryRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { propertiesOf } from './details-scenarios.ts'

/** A run that breaks the model's `input_schema` in one way. */
export interface BadInput extends DoubtfulRun {
  input: unknown
}

/** An input that should be rejected, made from the main model's own; `undefined` when its schema has no such rule. */
function badInput(
  id: string,
  inputOf: (target: ModelTarget) => Record<string, unknown> | undefined,
): Scenario<BadInput> {
  return {
    id,
    runs: { main: 1 },
    perform: async (session) => {
      const target = session.target('main')
      const input = inputOf(target)
      if (input === undefined)
        throw new BlockedError(`the schema of ${target.modelId} has no such rule; choose another`)
      return { input, ...(await tryRun(session, 'main', { body: { input } })) }
    },
  }
}

/** The first violation of a rule. */
function firstOf(wanted: Violation['rule']) {
  return (target: ModelTarget) => violationsOf(target).find(({ rule }) => rule === wanted)?.input
}

export const missingParameter = badInput('missing-parameter', firstOf('required'))
export const valueOutsideEnum = badInput('value-outside-enum', firstOf('enum'))
export const valueAboveMaximum = badInput('value-above-maximum', firstOf('maximum'))
export const valueBelowMinimum = badInput('value-below-minimum', firstOf('minimum'))

export const valueOfWrongType = badInput('value-of-wrong-type', ({ input, inputSchema }) => {
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
export interface WrongRun extends DoubtfulRun {
  wrong: string
}

/** Every other violation, asynchronously: inputs are checked whatever the mode. */
export const everyOtherRule: Scenario<readonly WrongRun[]> = {
  id: 'every-other-rule',
  runs: { main: (target) => otherViolations(target).length },
  perform: async (session) => {
    const runs: WrongRun[] = []
    for (const { wrong, input } of otherViolations(session.target('main'))) {
      runs.push({ wrong, ...(await tryRun(session, 'main', { body: { input, sync: false } })) })
    }
    return runs
  },
}

/** Inputs that are not objects. */
const NO_OBJECTS: readonly (readonly [string, unknown])[] = [
  ['a text', 'conformance'],
  ['an array', ['conformance']],
  ['null', null],
  ['a number', 7],
  ['a boolean', true],
]

export const inputsOfOtherTypes: Scenario<readonly WrongRun[]> = {
  id: 'inputs-of-other-types',
  runs: { main: NO_OBJECTS.length },
  perform: async (session) => {
    const runs: WrongRun[] = []
    for (const [what, input] of NO_OBJECTS) {
      runs.push({ wrong: `${what} as input`, ...(await tryRun(session, 'main', { body: { input } })) })
    }
    return runs
  },
}

/** A violation in a run with `webhook_url`. */
export const badInputWithWebhook: Scenario<DoubtfulRun> = {
  id: 'bad-input-with-webhook',
  runs: { main: 1 },
  receiver: true,
  perform: async (session) => {
    const { url } = session.webhookEndpoints.open('accept')
    const [violation] = violationsOf(session.target('main'))
    return tryRun(session, 'main', { body: { input: violation?.input ?? 'conformance', webhook_url: url } })
  },
}

/** The first wrong value that the schema of the main model has a rule for. */
export const wrongValue: Scenario<BadInput> = {
  id: 'wrong-value',
  mayUse: [valueOutsideEnum, valueAboveMaximum, valueBelowMinimum, valueOfWrongType],
  runs: { main: 0 },
  perform: async (session) => {
    for (const scenario of [valueOutsideEnum, valueAboveMaximum, valueBelowMinimum, valueOfWrongType]) {
      const bad = await session.evidence(scenario).catch((error: unknown) => {
        if (!(error instanceof BlockedError)) throw error
      })
      if (bad !== undefined) return bad
    }
    throw new BlockedError(`the schema of ${session.target('main').modelId} has no rule; choose another`)
  },
}

/** A body without `input`. */
export const missingInput: Scenario<DoubtfulRun> = {
  id: 'missing-input',
  runs: { main: 1 },
  perform: (session) => tryRun(session, 'main', { body: {} }),
}

/** A body that is not JSON, sent to a known model. Nothing can run, so the plan does not count it. */
export const brokenJson: Scenario<ApiResponse> = {
  id: 'broken-json',
  runs: { main: 0 },
  perform: (session) => session.call({ method: 'POST', path: runPath(session), text: '{"input": ' }),
}

/** JSON that does not say so. */
export const otherContentType: Scenario<ApiResponse> = {
  id: 'other-content-type',
  runs: { main: 1 },
  perform: (session) => {
    const { input } = session.target('main')
    return probeRun(session, 'main', { text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })
  },
}

export const unknownMember: Scenario<ApiResponse> = {
  id: 'unknown-member',
  runs: { main: 1 },
  perform: (session) => {
    const { input } = session.target('main')
    return probeRun(session, 'main', { body: { input, sync: false, conformance: true } })
  },
}

export const unknownInputParameter: Scenario<ApiResponse> = {
  id: 'unknown-input-parameter',
  runs: { main: 1 },
  perform: (session) => {
    const input = { ...session.target('main').input, conformance: true }
    return probeRun(session, 'main', { body: { input, sync: false } })
  },
}

export const otherWebhookScheme: Scenario<ApiResponse> = {
  id: 'other-webhook-scheme',
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { webhook_url: 'ftp://127.0.0.1/conformance' }),
}

/** A run whose input has every parameter that a rule limits, at the lower edges of the rules. */
export const edgeInput: Scenario<ApiResponse> = {
  id: 'edge-input',
  runs: { main: 1 },
  perform: (session) => startRun(session, 'main', { body: { input: smallestInput(session.target('main')) } }),
}

/** The same at the upper edges. */
export const upperEdgeInput: Scenario<ApiResponse> = {
  id: 'upper-edge-input',
  runs: { main: 1 },
  perform: (session) => startRun(session, 'main', { body: { input: largestInput(session.target('main')) } }),
}

function runPath(session: Session): string {
  return routePath(ROUTES.runModel, { model: session.target('main').modelId })
}
