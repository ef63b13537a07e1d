import { LIMITS, type ListModelsQuery, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import { listModels, unknownModelText } from '../domain/list-models.ts'
import { describeValue } from '../domain/validate-input.ts'
import type { Service } from '../service/service.ts'
import { rejectionResponse } from '../wire/error-responses.ts'
import { jsonReply } from '../wire/messages.ts'
import { unknownParameter } from '../wire/router.ts'
import type { KeyContext, RouteResult } from './app-env.ts'

/** `GET /v1/models` (section 4.1). */
export function listModelsRoute(service: Service, context: KeyContext): RouteResult {
  const query = unknownParameter(context.req, NAMES) ?? readListQuery(new URL(context.req.raw.url).searchParams)
  if (typeof query === 'string') {
    return { response: rejectionResponse(service.options.assumptions.wrongRequest, `Invalid query: ${query}`) }
  }
  const { limit = LIMITS.modelsPageDefault, offset = 0, ...filter } = query
  return { response: jsonReply(200, listModels(service.models.values(), { ...filter, limit, offset })) }
}

/** `GET /v1/models/{id}` (section 4.2). */
export function getModelRoute(service: Service, context: KeyContext): RouteResult {
  const modelId = context.req.param('id')
  const model = service.models.get(modelId)
  if (model !== undefined) return { modelId, response: jsonReply(200, wireModel(model)) }
  const message = unknownModelText(modelId, service.models)
  return { modelId, response: rejectionResponse(service.options.assumptions.unknownModel, message) }
}

export function wireModel({ output_kind: _, latency_ms: __, outcomes: ___, ...model }: CatalogModel): Model {
  return model
}

/** The least and the largest values. */
const NUMBERS = {
  limit: [1, LIMITS.modelsPageMax],
  offset: [0, Number.MAX_SAFE_INTEGER],
} as const

const NAMES = ['category', 'search', 'limit', 'offset'] as const

/** Reads the query of `GET /v1/models` (section 4.1). @returns what is wrong, in a sentence, where it is invalid */
function readListQuery(parameters: URLSearchParams): ListModelsQuery | string {
  const query: ListModelsQuery = {}
  for (const [sent, text] of parameters) {
    const name = NAMES.find((known) => known === sent)
    if (name === undefined) continue
    if (parameters.getAll(name).length > 1) return `${name} is there more than once.`
    if (name === 'category' || name === 'search') {
      query[name] = text
      continue
    }
    const [least, most] = NUMBERS[name]
    if (!/^-?\d+$/.test(text)) return `${name} must be an integer, not ${describeValue(text)}.`
    if (Number(text) < least) return `${name} must be ${least} or more.`
    if (Number(text) > most) return `${name} must be ${most} or less.`
    query[name] = Number(text)
  }
  return query
}
