import { type ModelList, modelListSchema, ROUTES, type RunResponse, routePath } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { openApiDocument } from '@modelrun/contract/openapi'

export const path: string = routePath(ROUTES.getModel, { id: 'northlight/retouch' })

export const ids: string[] = modelListSchema.parse(fixtures.models.listFirstPage.body).models.map(({ id }) => id)

export const list: ModelList = fixtures.models.listEmpty.body

export function firstUrl(response: RunResponse): string | undefined {
  return response.status === 'completed' ? response.output.items[0]?.url : undefined
}

export const endpoints: string[] = Object.keys(openApiDocument.paths)
