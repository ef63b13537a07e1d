import { ROUTES, routePath } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
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
export const everyOtherRule = defineScenario(
  'every-other-rule',
  { runs: { main: (target) => otherViolations(target).length } },
  (session) => tryEach(session, otherViolations(session.target('main')), { sync: false }),
)

/** Inputs that are not objects. */
const NO_OBJECTS: readonly { wrong: string; input: unknown }[] = [
  { wrong: 'a text as input', input: 'conformance' },
  { wrong: 'an array as input', input: ['conformance'] },
  { wrong: 'null as input', input: null },
  { wrong: 'a number as input', input: 7 },
  { wrong: 'a boolean as input', input: true },
]

export const inputsOfOtherTypes = defineScenario(
  'inputs-of-other-types',
  { runs: { main: NO_OBJECTS.length } },
  (session) => tryEach(session, NO_OBJECTS),
)

async function tryEach(
  session: Session,
  inputs: readonly { wrong: string; input: unknown }[],
  more: { sync?: boolean } = {},
): Promise<WrongRun[]> {
  const runs: WrongRun[] = []
  for (const { wrong, input } of inputs)
    runs.push({ wrong, ...(await tryRun(session, 'main', { body: { input, ...more } })) })
  return runs
}

/** A violation in a run with `webhook_url`. */
export const badInputWithWebhook = defineScenario(
  'bad-input-with-webhook',
  { runs: { main: 1 }, receiver: true },
  async (session) => {
    const { url } = session.webhookEndpoints.open('accept')
    const [violation] = violationsOf(session.target('main'))
    return tryRun(session, 'main', { body: { input: violation?.input ?? 'conformance', webhook_url: url } })
  },
)

/** The first wrong value that the schema of the main model has a rule for. */
export const wrongValue = defineScenario(
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
export const missingInput = defineScenario('missing-input', { runs: { main: 1 } }, (session) =>
  tryRun(session, 'main', { body: {} }),
)

/** A body that is not JSON, sent to a known model. Nothing can run, so the plan does not count it. */
export const brokenJson = defineScenario('broken-json', { runs: { main: 0 } }, (session) =>
  session.call({ method: 'POST', path: runPath(session), text: '{"input": ' }),
)

/** JSON that does not say so. */
export const otherContentType = defineScenario('other-content-type', { runs: { main: 1 } }, (session) => {
  const { input } = session.target('main')
  return probeRun(session, 'main', { text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })
})

export const unknownMember = defineScenario('unknown-member', { runs: { main: 1 } }, (session) => {
  const { input } = session.target('main')
  return probeRun(session, 'main', { body: { input, sync: false, conformance: true } })
})

export const unknownInputParameter = defineScenario('unknown-input-parameter', { runs: { main: 1 } }, (session) => {
  const input = { ...session.target('main').input, conformance: true }
  return probeRun(session, 'main', { body: { input, sync: false } })
})

export const otherWebhookScheme = defineScenario('other-webhook-scheme', { runs: { main: 1 } }, (session) =>
  probeRun(session, 'main', { webhook_url: 'ftp://127.0.0.1/conformance' }),
)

/** A run whose input has every parameter that a rule limits, at the lower edges of the rules. */
export const edgeInput = defineScenario('edge-input', { runs: { main: 1 } }, (session) =>
  startRun(session, 'main', { body: { input: smallestInput(session.target('main')) } }),
)

/** The same at the upper edges. */
export const upperEdgeInput = defineScenario('upper-edge-input', { runs: { main: 1 } }, (session) =>
  startRun(session, 'main', { body: { input: largestInput(session.target('main')) } }),
)

function runPath(session: Session): string {
  return routePath(ROUTES.runModel, { model: session.target('main').modelId })
}
