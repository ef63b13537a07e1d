import { ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, isRecord, itemsOf } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { type DoubtfulRun, probeRun, startRun, tryRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { propertiesOf } from './details-scenarios.ts'

/** A run that breaks the model's `input_schema` in one way. */
export interface BadInput extends DoubtfulRun {
  input: unknown
}

/** An input that should be refused, made from the main model's own; `undefined` when its schema has no such rule. */
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

export const missingParameter = badInput('missing-parameter', ({ input, inputSchema }) => {
  const [required] = itemsOf(at(inputSchema, '/required'))
  if (typeof required !== 'string') return undefined
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== required))
})

export const valueOutsideEnum = badInput('value-outside-enum', (target) =>
  withValue(target, 'enum', () => 'conformance-no-such-value'),
)

export const valueAboveMaximum = badInput('value-above-maximum', (target) =>
  withValue(target, 'maximum', ({ maximum }) => Number(maximum) + 1),
)

export const valueBelowMinimum = badInput('value-below-minimum', (target) =>
  withValue(target, 'minimum', ({ minimum }) => Number(minimum) - 1),
)

export const valueOfWrongType = badInput('value-of-wrong-type', ({ input, inputSchema }) => {
  const text = propertiesOf(inputSchema).find(([, { type }]) => type === 'string')
  return text && { ...input, [text[0]]: { conformance: true } }
})

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

/** A body that is no JSON, sent to a model that is there. Nothing can run: it counts nothing in the plan. */
export const brokenJson: Scenario<Answer> = {
  id: 'broken-json',
  runs: { main: 0 },
  perform: (session) => session.call({ method: 'POST', path: runPath(session), text: '{"input": ' }),
}

/** JSON that does not say so. */
export const otherContentType: Scenario<Answer> = {
  id: 'other-content-type',
  runs: { main: 1 },
  perform: (session) => {
    const { input } = session.target('main')
    return probeRun(session, 'main', { text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })
  },
}

export const unknownMember: Scenario<Answer> = {
  id: 'unknown-member',
  runs: { main: 1 },
  perform: (session) => {
    const { input } = session.target('main')
    return probeRun(session, 'main', { body: { input, sync: false, conformance: true } })
  },
}

export const unknownInputParameter: Scenario<Answer> = {
  id: 'unknown-input-parameter',
  runs: { main: 1 },
  perform: (session) => {
    const input = { ...session.target('main').input, conformance: true }
    return probeRun(session, 'main', { body: { input, sync: false } })
  },
}

export const strangeWebhookUrl: Scenario<Answer> = {
  id: 'strange-webhook-url',
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { webhook_url: 'ftp://127.0.0.1/conformance' }),
}

/** A run whose input has every parameter that a rule limits, at the edges of the rules. */
export const edgeInput: Scenario<Answer> = {
  id: 'edge-input',
  runs: { main: 1 },
  perform: (session) => {
    const { input, inputSchema } = session.target('main')
    const edges = propertiesOf(inputSchema).flatMap(([name, { minimum, enum: allowed }]) => {
      const edge = itemsOf(allowed).at(-1) ?? minimum
      return edge === undefined ? [] : [[name, edge]]
    })
    return startRun(session, 'main', { body: { input: { ...input, ...Object.fromEntries(edges) } } })
  },
}

function withValue(
  { input, inputSchema }: ModelTarget,
  rule: string,
  makeValue: (property: Record<string, unknown>) => unknown,
): Record<string, unknown> | undefined {
  const found = propertiesOf(inputSchema).find(([, property]) => property[rule] !== undefined)
  return found && isRecord(found[1]) ? { ...input, [found[0]]: makeValue(found[1]) } : undefined
}

function runPath(session: Session): string {
  return routePath(ROUTES.runModel, { model: session.target('main').modelId })
}
