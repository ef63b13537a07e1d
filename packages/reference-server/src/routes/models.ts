import { LIMITS, type ListModelsQuery, listModelsQuerySchema, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import { listModels, unknownModelText } from '../domain/list-models.ts'
import type { Service } from '../service/service.ts'
import { invalidMessage, parseShape, type ShapeCheck } from '../shared/parse-shape.ts'
import { rejectionResponse } from '../wire/error-responses.ts'
import { jsonReply } from '../wire/messages.ts'
import { type RoutedRequest, unknownParameter } from '../wire/router.ts'
import type { KeyContext, RouteResult } from './app-env.ts'

/** `GET /v1/models` (section 4.1). */
export function listModelsRoute(service: Service, context: KeyContext): RouteResult {
  const query = readListQuery(context.req)
  if (!query.ok) {
    const message = invalidMessage('query', query.message)
    return { response: rejectionResponse(service.options.assumptions.wrongRequest, message) }
  }
  const { limit = LIMITS.modelsPageDefault, offset = 0, ...filter } = query.value
  return { response: jsonReply(200, listModels(service.models.values(), { ...filter, limit, offset })) }
}

/** `GET /v1/models/{id}` (section 4.2). */
export function getModelRoute(service: Service, context: KeyContext): RouteResult {
  const modelId = context.req.param('id')
  const model = service.models.get(modelId)
  if (model !== undefined) return { response: jsonReply(200, wireModel(model)) }
  const message = unknownModelText(modelId, service.models)
  return { response: rejectionResponse(service.options.assumptions.unknownModel, message) }
}

export function wireModel({ output_kind: _, latency_ms: __, outcomes: ___, ...model }: CatalogModel): Model {
  return model
}

const NAMES = Object.keys(listModelsQuerySchema.shape)
const INTEGER = /^-?\d{1,15}$/

/** Reads the query of `GET /v1/models` (section 4.1). The message says what is wrong. */
function readListQuery(request: RoutedRequest): ShapeCheck<ListModelsQuery> {
  const { searchParams } = new URL(request.raw.url)
  const twice = NAMES.find((name) => searchParams.getAll(name).length > 1)
  const message = unknownParameter(request, NAMES) ?? (twice && `${twice} is there more than once.`)
  if (message !== undefined) return { ok: false, message }
  const values = [...searchParams].map(([name, value]) => {
    const isNumber = (name === 'limit' || name === 'offset') && INTEGER.test(value)
    return [name, isNumber ? Number(value) : value]
  })
  return parseShape(listModelsQuerySchema, Object.fromEntries(values))
}
