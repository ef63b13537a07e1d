/** What loads when a model is first read. */
import {
  type ListModelsQuery,
  type Model,
  type ModelList,
  modelListSchema,
  modelSchema,
  ROUTES,
} from '@modelrun/contract'
import type { Operation } from '../http/operation.ts'
import { readJson } from '../http/read-response.ts'

/** The call of `GET /v1/models/{id}` (section 4.2). */
export function getModelOperation(id: string): Operation<Model> {
  return { route: ROUTES.getModel, parameters: { id }, read: readJson(modelSchema) }
}

/** The call of `GET /v1/models` (section 4.1). */
export function listModelsOperation(query: ListModelsQuery): Operation<ModelList> {
  return { route: ROUTES.listModels, query: { ...query }, read: readJson(modelListSchema) }
}
