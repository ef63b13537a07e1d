import { LIMITS, type ListModelsQuery, listModelsQuerySchema, MODEL_CATEGORIES, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../../domain/catalog.ts'
import { describeValue } from '../../domain/check-value.ts'
import { closestModelId, listModels } from '../../domain/list-models.ts'
import { parseShape } from '../../parse-shape.ts'
import type { Service } from '../../service/service.ts'
import type { KeyContext, RouteResult } from '../app-env.ts'
import { type AcceptableKind, isAccepted, reject } from '../error-responses.ts'
import { jsonReply } from '../messages.ts'

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

/** `GET /v1/models` (section 4.1). */
export function listModelsRoute(service: Service, context: KeyContext): RouteResult {
  const { unknownCategory, searchCase, searchWords } = service.options.assumptions
  const query = readListQuery(service, new URL(context.req.raw.url).searchParams)
  if (query.problem !== undefined) return reject(service, query.problem.kind, query.problem)
  const { category, search, limit = LIMITS.modelsPageDefault, offset = 0 } = query.value
  const isUnknown = category !== undefined && !KNOWN_CATEGORIES.includes(category)
  if (isUnknown && unknownCategory === 'reject') {
    const message = `The query is not right. /category must be one of ${KNOWN_CATEGORIES.join(', ')}.`
    return reject(service, 'unknownCategory', { message })
  }
  const filtered = isUnknown && unknownCategory === 'all' ? undefined : category
  const filter = { category: filtered, search, limit, offset, searchCase, searchWords }
  return { response: jsonReply(200, listModels(service.models.values(), filter)) }
}

/** `GET /v1/models/{id}` (section 4.2). */
export function getModelRoute(service: Service, context: KeyContext): RouteResult {
  const modelId = context.req.param('id')
  const model = service.models.get(modelId)
  if (model === undefined) return unknownModel(service, modelId, 'unknownModel')
  return { modelId, response: jsonReply(200, wireModel(model)) }
}

export function unknownModel(service: Service, modelId: string, kind: 'unknownModel' | 'unknownModelRun'): RouteResult {
  const meant = closestModelId(modelId, [...service.models.keys()])
  const list = 'GET /v1/models lists the models.'
  const message = `There is no model ${JSON.stringify(modelId.slice(0, 100))}. ${meant === undefined ? list : `Did you mean ${meant}?`}`
  return reject(service, kind, {
    message,
    modelId,
    hints: [meant === undefined ? list : `Did you mean the model ${meant}?`],
  })
}

export function wireModel({ output_kind: _, latency_ms: __, outcomes: ___, ...model }: CatalogModel): Model {
  return model
}

/** Not longer, so that it is exact as a number. */
const INTEGER = /^-?\d{1,15}$/
const NAMES = ['category', 'search', 'limit', 'offset']
const LEAST = new Map([
  ['limit', 1],
  ['offset', 0],
])

interface QueryProblem {
  kind: AcceptableKind
  message: string
}

/** The query of a list of models, or what is wrong with it. */
type ListQuery = { value: ListModelsQuery; problem?: undefined } | { problem: QueryProblem }

/** Reads the query of `GET /v1/models` (section 4.1). A wrong parameter that is accepted is left out. */
function readListQuery(service: Service, parameters: URLSearchParams): ListQuery {
  const query: Record<string, unknown> = {}
  for (const [name, value] of parameters) {
    const problem = problemOf(parameters, name, value)
    if (problem === undefined) query[name] = LEAST.has(name) ? Number(value) : value
    else if (!isAccepted(service, problem.kind)) return { problem }
    else if (problem.kind === 'limitAboveMaximum') query.limit = LIMITS.modelsPageMax
  }
  const checked = parseShape(listModelsQuerySchema, query)
  if (checked.ok) return checked
  return { problem: { kind: 'invalidPage', message: `The query is not right. ${checked.message}` } }
}

function problemOf(parameters: URLSearchParams, name: string, value: string): QueryProblem | undefined {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!NAMES.includes(name)) {
    const message = `The query is not right. It has members that do not exist: ${shown}.`
    return { kind: 'unknownQueryParameter', message }
  }
  if (parameters.getAll(name).length > 1)
    return { kind: 'invalidPage', message: `The query has ${shown} more than once.` }
  const least = LEAST.get(name)
  if (least === undefined) return undefined
  const wrong = (must: string) => `The query is not right. /${name} must be ${must}.`
  if (!INTEGER.test(value)) return { kind: 'invalidPage', message: wrong(`an integer, not ${describeValue(value)}`) }
  if (Number(value) < least) return { kind: 'invalidPage', message: wrong(`${least} or more`) }
  const isTooLarge = name === 'limit' && Number(value) > LIMITS.modelsPageMax
  return isTooLarge ? { kind: 'limitAboveMaximum', message: wrong(`${LIMITS.modelsPageMax} or less`) } : undefined
}
