import { MODEL_CATEGORIES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { type Property, propertiesOf } from '../plan/inputs.ts'
import { modelsOf } from '../plan/targets.ts'
import { lists, details as readDetails, UNKNOWN_ID, unknownModel } from '../scenarios/reads.ts'
import { mayDo } from '../session/keys.ts'
import type { ApiCall } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-world.ts'
import { count, filledString, hasStatus, holds, object, oneOf, type Rule, rejectionText, string } from './rules.ts'
import { idsOf, type World } from './world.ts'

const DETAILS: Source<ApiCall> = {
  from: [readDetails, lists],
  pick: ({ details }) => details,
  nothing: 'there is no model',
}
/** The paths of models that the list holds. */
const LISTED: Source<ApiCall> = {
  ...DETAILS,
  pick: ({ calls, lists }) => {
    const ids = new Set(lists.flatMap(({ response }) => idsOf(response)))
    return calls.filter(({ route, id, key }) => route === 'getModel' && ids.has(id) && mayDo(key, route))
  },
}
/** The parameters of every model whose details were read. */
const PROPERTIES: Source<{ name: string; property: Property; details: ApiCall }> = {
  ...DETAILS,
  pick: ({ details }) =>
    details.flatMap((one) => propertiesIn(one).map(([name, property]) => ({ name, property, details: one }))),
  nothing: 'no model that was read has a parameter',
}

const UNKNOWN: Source<ApiCall> = {
  from: [unknownModel],
  pick: ({ calls }) => calls.filter(({ route, id }) => route === 'getModel' && id === UNKNOWN_ID),
  nothing: 'no unknown model was asked for',
}

const MAP: Rule = [(value) => isRecord(value) && Object.values(value).every(isRecord), 'a map of objects']
const [isString] = string
/** "JSON-schema-like": JSON Schema has one type, or a list of them. */
const isType = (value: unknown) =>
  isString(value) || (Array.isArray(value) && value.length > 0 && value.every(isString))

/** Every model (sections 2.1, 2.2, 2.3 and 4.2). */
export const MODEL_JUDGES: readonly Check[] = [
  judgeAll('details/same-in-both', DETAILS, sameInBoth),
  judgeEvery('details/every-model', DETAILS, ({ response }) => hasFields(response.json, response)),
  judgeEvery('details/same-model', LISTED, ({ id, response }) => [
    hasStatus(response, 200),
    ...holds(response, { '/id': oneOf(id) }),
  ]),
  judgeEvery('details/unknown-is-not-a-model', UNKNOWN, ({ response }) =>
    judge(response.status >= 400, `an unknown id: ${rejectionText(response)}; expected no model`, response),
  ),
  judgeEvery('details/with-schema', DETAILS, ({ response }) => holds(response, { '/input_schema': object })),
  judgeEvery('schemas/type', DETAILS, ({ response }) => holds(response, { '/input_schema/type': oneOf('object') })),
  judgeEvery('schemas/properties', DETAILS, ({ response }) => holds(response, { '/input_schema/properties': MAP })),
  judgeEvery('schemas/required', DETAILS, ({ response }) => {
    const required = at(response.json, '/input_schema/required')
    if (required === undefined) return skip('there is no such member', response)
    const names: unknown[] = propertiesIn({ response }).map(([name]) => name)
    const isRight = Array.isArray(required) && required.every((name) => names.includes(name))
    return judge(isRight, `required is ${show(required)}; expected names of properties`, response)
  }),
  propertyJudge('schemas/property-strings', { type: isType, description: isString }),
  propertyJudge('schemas/property-enum', { enum: (value) => itemsOf(value).length > 0 }),
  propertyJudge('schemas/property-bounds', { minimum: Number.isFinite, maximum: Number.isFinite }),
]

function propertyJudge(id: string, members: Record<string, (value: unknown) => boolean>): Check {
  const membersOf = (property: object) => Object.entries(members).filter(([member]) => Object.hasOwn(property, member))
  const source = only(PROPERTIES, ({ property }) => membersOf(property).length > 0, 'no model that was read has one')
  return judgeEvery(id, source, ({ name, property, details }) =>
    membersOf(property).map(([member, isRight]) => {
      const detail = `${details.id}: ${member} of ${name} is ${show(property[member])}`
      return judge(isRight(property[member]), detail, details)
    }),
  )
}

function propertiesIn({ response }: Pick<ApiCall, 'response'>) {
  return propertiesOf(at(response.json, '/input_schema'))
}

const FIELDS: Readonly<Record<string, Rule>> = {
  '/id': filledString,
  '/name': string,
  '/description': string,
  '/provider': string,
  '/status': string,
  '/category': oneOf(...MODEL_CATEGORIES),
  '/pricing/credits_per_run': count,
}

/** Judges the fields that a model has in the list and in its details. */
export function hasFields(model: unknown, { exchange }: ApiResponse): Finding[] {
  return holds({ json: model, exchange }, FIELDS)
}

function sameInBoth(details: readonly ApiCall[], { lists }: World): Finding {
  const shown = [
    ...lists.flatMap(({ response }) => modelsOf(response).map((model): [unknown, ApiResponse] => [model, response])),
    ...details.map(({ response }): [unknown, ApiResponse] => [response.json, response]),
  ]
  const first = new Map(shown.toReversed().map((one) => [at(one[0], '/id'), one]))
  for (const [model, response] of shown) {
    const id = at(model, '/id')
    const [known, where] = first.get(id) ?? [model, response]
    const pointer = Object.keys(FIELDS).find((one) => show(at(known, one)) !== show(at(model, one)))
    if (pointer !== undefined)
      return fail(`${pointer} of ${show(id)} is not the same wherever it was read`, [where.exchange, response.exchange])
  }
  return pass('models are the same wherever they were read', details)
}
