type Json = { readonly [name: string]: unknown }

/** A call as `GET /_reference` lists it. */
interface ListedCall {
  call: string
  what: unknown
  /** `{ a, b? }` is an object whose `b` may be missing, `?a=&b=` a query. */
  takes?: string | undefined
  gives: string
}

/** The calls of the OpenAPI document in a short form for people. */
export function listCalls(document: { paths: object; components: { schemas: object } }): ListedCall[] {
  const schemas = document.components.schemas as Json
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      what: operation.summary,
      takes: bodyText(operation.requestBody, schemas) ?? queryText(operation.parameters),
      gives: bodyText((operation.responses as Json)[200], schemas) ?? '',
    })),
  )
}

function queryText(parameters: unknown): string | undefined {
  if (!Array.isArray(parameters)) return undefined
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=`)
  return names.length === 0 ? undefined : `?${names.join('&')}`
}

function bodyText(holder: unknown, schemas: Json): string | undefined {
  const content = (holder as { content?: Record<string, { schema: Json }> } | undefined)?.content
  const [first] = Object.values(content ?? {}) // JSON, or a stream of events
  return first && (shapeOf(first.schema, schemas, DEPTH) ?? 'an object')
}

/** How many objects within objects are written out. */
const DEPTH = 2

/** A schema of the document as `{ a, b?, c: [{ d }] }`. */
function shapeOf(schema: Json, schemas: Json, depth: number): string | undefined {
  const reference = String(schema.$ref ?? '').replace('#/components/schemas/', '')
  if (reference !== '') return shapeOf(schemas[reference] as Json, schemas, depth)
  const { properties, required = [], items } = schema
  if (items !== undefined) {
    const item = shapeOf(items as Json, schemas, depth)
    return item && `[${item}]`
  }
  if (properties === undefined || depth === 0) return undefined
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const text = shapeOf(member, schemas, depth - 1)
    return `${name}${(required as string[]).includes(name) ? '' : '?'}${text === undefined ? '' : `: ${text}`}`
  })
  return members.length === 0 ? undefined : `{ ${members.join(', ')} }`
}

/** Path of the document below the control API's prefix. */
export const DOCUMENT_PATH = '/openapi.json'

/** The control API as an OpenAPI 3.1 document, from `control-openapi.json`. */
export type ControlDocument = typeof import('../../control-openapi.json')

/** Loaded when it is asked for: most servers live for one test. */
export async function loadDocument(): Promise<ControlDocument> {
  const { default: document } = await import('../../control-openapi.json', { with: { type: 'json' } })
  return document
}

/** `GET /_reference/openapi.json`: the document, at the URL of this server. */
export async function documentAt(baseUrl: string): Promise<object> {
  return { ...(await loadDocument()), servers: [{ url: baseUrl, description: 'The modelrun reference server' }] }
}
