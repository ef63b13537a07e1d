/**
 * The wire format as an OpenAPI 3.1 document.
 *
 * @module
 */
import document from '../openapi.json' with { type: 'json' }

type Parts = Readonly<Record<string, unknown>>

/**
 * The document, with the schemas, routes and fixtures of this package. The same is in the file
 * `@modelrun/contract/openapi.json`, for tools that read files. Shared by all importers: take a `structuredClone` before
 * changing it.
 */
export const openApiDocument: { readonly openapi: string; readonly paths: Parts; readonly components: Parts } = document
