/**
 * The wire format as an OpenAPI 3.1 document.
 *
 * @module
 */
import document from '../openapi.json' with { type: 'json' }

/** The outline of an OpenAPI 3.1 document; what is below `paths` and `components` is plain JSON. */
export interface OpenApiDocument {
  /** Version of OpenAPI. */
  readonly openapi: string
  /** Name of the service, and version of its interface (section 9). */
  readonly info: { readonly title: string; readonly version: string }
  /** Where the service is; the paths are below it. */
  readonly servers: readonly { readonly url: string }[]
  /** Path template to its operations. */
  readonly paths: Readonly<Record<string, unknown>>
  /** Schemas, parameters, responses and the bearer key, by kind and name. */
  readonly components: Readonly<Record<string, unknown>>
}

/**
 * The document, made from the schemas, routes and fixtures of this package. The same is in the file
 * `@modelrun/contract/openapi.json`, for tools that read files. Shared by all importers: take a `structuredClone` before
 * changing it.
 */
export const openApiDocument: OpenApiDocument = document
