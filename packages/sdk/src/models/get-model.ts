import { type Model, modelSchema, ROUTES } from '@modelrun/contract'
import type { Operation } from '../http/operation.ts'
import { readJson } from '../http/read-json.ts'

/** The call of `GET /v1/models/{id}` (section 4.2). */
export function getModelOperation(id: string): Operation<Model> {
  return { route: ROUTES.getModel, parameters: { id }, read: readJson(modelSchema) }
}
