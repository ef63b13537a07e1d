import { LIMITS, listModelsQuerySchema, MODEL_CATEGORIES, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import { describeValue } from '../domain/describe-value.ts'
import { listModels } from '../domain/list-models.ts'
import { parseShape } from '../parse-shape.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { jsonResponse } from './json-response.ts'
import { refusals } from './refusals.ts'
import type { RequestTrace } from './request-trace.ts'

/** Not longer, so that it is exact as a number. */
const INTEGER = /^-?\d{1,15}$/

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

/** `GET /v1/models` (section 4.1). */
export function answerModelList(service: Service, context: AppContext): Response {
  const { assumptions } = service.options
  const query = readQuery(new URL(context.req.url).searchParams)
  if (typeof query === 'string') return refusals.invalid(query)
  if (assumptions.limitAboveMaximum === 'clamp' && Number(query.limit) > LIMITS.modelsPageMax) {
    query.limit = LIMITS.modelsPageMax
  }
  const checked = parseShape(listModelsQuerySchema, query)
  if (!checked.ok) return refusals.invalid(`The query is not right. ${checked.message}`)
  const { category, search, limit = LIMITS.modelsPageDefault, offset = 0 } = checked.value
  if (category !== undefined && assumptions.unknownCategory === 'reject' && !KNOWN_CATEGORIES.includes(category)) {
    return refusals.invalid(`The query is not right. /category must be one of ${KNOWN_CATEGORIES.join(', ')}.`)
  }
  return jsonResponse(200, listModels(service.models.values(), { category, search, limit, offset }))
}

/** `GET /v1/models/{id}` (section 4.2). */
export function answerModel(service: Service, context: AppContext): Response {
  const id = context.req.param('id') ?? ''
  context.env.trace.modelId = id
  const model = service.models.get(id)
  return model === undefined ? unknownModel(service, id, context.env.trace) : jsonResponse(200, wireModel(model))
}

/** `GET /v1/models/{id}` for an id that ends in `/run`; `undefined` when there is no such model. */
export function answerModelNamedRun(service: Service, context: AppContext): Response | undefined {
  const model = service.models.get(`${context.req.param('model')}/run`)
  return model && jsonResponse(200, wireModel(model))
}

export function unknownModel({ modelNames }: Service, id: string, trace: RequestTrace): Response {
  const meant = modelNames.ofAnyProvider(id) ?? modelNames.closest(id)
  trace.hints = [meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean the model ${meant}?`]
  const advice = meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${meant}?`
  return refusals.notFound(`There is no model ${JSON.stringify(id.slice(0, 100))}. ${advice}`)
}

function wireModel({ output_kind: _, latency_ms: __, ...model }: CatalogModel): Model {
  return model
}

/** The parameters by name, integers as numbers; or what is wrong. */
function readQuery(parameters: URLSearchParams): Record<string, unknown> | string {
  const names = [...parameters.keys()]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `The query has ${JSON.stringify(twice.slice(0, 60))} more than once.`
  const odd = [...parameters].find(([name, value]) => isNumeric(name) && !INTEGER.test(value))
  if (odd !== undefined) return `The query is not right. /${odd[0]} must be an integer, not ${describeValue(odd[1])}.`
  return Object.fromEntries([...parameters].map(([name, value]) => [name, isNumeric(name) ? Number(value) : value]))
}

function isNumeric(name: string): boolean {
  return name === 'limit' || name === 'offset'
}
