import type { Service } from '../../service/service.ts'
import { jsonResponse } from '../json-response.ts'

export const OPENAPI_PATH = '/openapi.json'

/** `GET /openapi.json`: the service as an OpenAPI 3.1 document, at the address of this server. Needs no key. */
export async function getOpenApiRoute(service: Service): Promise<Response> {
  // Loaded when somebody asks: most servers live for one test.
  const { openApiDocument } = await import('@modelrun/contract/openapi')
  const servers = [{ url: service.baseUrl, description: 'The modelrun reference server' }]
  return jsonResponse(200, { ...openApiDocument, servers })
}
