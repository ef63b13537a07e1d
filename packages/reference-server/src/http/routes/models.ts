import { LIMITS, MODEL_CATEGORIES, type Model } from '@modelrun/contract'
import type { CatalogModel } from '../../domain/catalog.ts'
import { listModels } from '../../domain/list-models.ts'
import type { Service } from '../../service/service.ts'
import type { AppContext } from '../app-env.ts'
import { jsonResponse } from '../json-response.ts'
import { readListQuery } from './read-list-query.ts'
import { reject } from '../reject.ts'

const KNOWN_CATEGORIES: readonly string[] = MODEL_CATEGORIES

/** `GET /v1/models` (section 4.1). */
export function listModelsRoute(service: Service, context: AppContext): Response {
  const { unknownCategory, searchCase, searchWords } = service.options.assumptions
  const scene = { service, trace: context.env.trace }
  const query = readListQuery(service, new URL(context.req.url).searchParams)
  if (query.problem !== undefined) return reject(scene, query.problem.kind, query.problem.message)
  const { category, search, limit = LIMITS.modelsPageDefault, offset = 0 } = query.value
  const isUnknown = category !== undefined && !KNOWN_CATEGORIES.includes(category)
  if (isUnknown && unknownCategory === 'reject') {
    const message = `The query is not right. /category must be one of ${KNOWN_CATEGORIES.join(', ')}.`
    return reject(scene, 'unknownCategory', message)
  }
  const filtered = isUnknown && unknownCategory === 'all' ? undefined : category
  const filter = { category: filtered, search, limit, offset, searchCase, searchWords }
  return jsonResponse(200, listModels(service.models.values(), filter))
}

/** `GET /v1/models/{id}` (section 4.2). */
export function getModelRoute(service: Service, context: AppContext): Response {
  const id = context.req.param('id') ?? ''
  context.env.trace.modelId = id
  const model = service.models.get(id)
  return model === undefined ? unknownModel(service, context, 'unknownModel') : jsonResponse(200, wireModel(model))
}

/** `GET /v1/models/{id}` for an id that ends in `/run`; `undefined` when there is no such model. */
export function getModelNamedRunRoute(service: Service, context: AppContext): Response | undefined {
  const model = service.models.get(`${context.req.param('model')}/run`)
  return model && jsonResponse(200, wireModel(model))
}

export function unknownModel(
  service: Service,
  context: AppContext,
  kind: 'unknownModel' | 'unknownModelRun',
): Response {
  const id = context.env.trace.modelId ?? ''
  const meant = service.modelNames.ofAnyProvider(id) ?? service.modelNames.closest(id)
  context.env.trace.hints = [
    meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean the model ${meant}?`,
  ]
  const advice = meant === undefined ? 'GET /v1/models lists the models.' : `Did you mean ${meant}?`
  const message = `There is no model ${JSON.stringify(id.slice(0, 100))}. ${advice}`
  return reject({ service, trace: context.env.trace }, kind, message)
}

function wireModel({ output_kind: _, latency_ms: __, ...model }: CatalogModel): Model {
  return model
}
