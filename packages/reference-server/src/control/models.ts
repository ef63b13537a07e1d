import { jsonResponse } from '../http/json-response.ts'
import { wireModel } from '../http/routes/models.ts'
import type { ControlRoute } from './route.ts'

/** The whole catalog, with what each model takes. */
export const MODEL_ROUTES = [
  {
    operationId: 'readCatalog',
    method: 'GET',
    name: 'models',
    handler: ({ models }) => jsonResponse(200, { models: [...models.values()].map(wireModel) }),
  },
] as const satisfies readonly ControlRoute[]
