import type { Service } from '../../service/service.ts'
import { jsonReply, type Reply } from '../messages.ts'

export const OPENAPI_PATH = '/openapi.json'

/** `GET /openapi.json`: the service as an OpenAPI 3.1 document, with the URL of this server. Needs no key. */
export async function getOpenApiRoute({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<Reply> {
  // Loaded on demand: most servers live for one test.
  const { openApiDocument } = await import('@modelrun/contract/openapi')
  const servers = [{ url: baseUrl, description: 'The modelrun reference server' }]
  return jsonReply(200, { ...openApiDocument, servers })
}
